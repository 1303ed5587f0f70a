/* Opens and runs a plan with each of its bits flipped: with the checksum as it is, and mended. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
void mend(uint8_t *data, size_t size);

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)data, (void)max_size;
    return size;
}

int main(int count, char **arguments)
{
    static uint8_t plan[1 << 16];
    static uint8_t changed[1 << 16];
    FILE *const file = count > 1 ? fopen(arguments[1], "rb") : NULL;
    if (file == NULL) {
        return 2;
    }
    const size_t size = fread(plan, 1, sizeof plan, file);
    fclose(file);
    for (size_t bit = 0; bit < 8 * size; ++bit) {
        for (size_t i = 0; i < size; ++i) {
            changed[i] = plan[i];
        }
        changed[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        LLVMFuzzerTestOneInput(changed, size);
        mend(changed, size);
        LLVMFuzzerTestOneInput(changed, size);
    }
    printf("%lu bits\n", (unsigned long)(8 * size));
    return 0;
}
