/* SPDX-License-Identifier: Apache-2.0 */
/* newlib's system calls through semihosting: files and the console of the machine that emulates. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

enum {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06,
    SYS_SEEK = 0x0A,
    SYS_FLEN = 0x0C,
    SYS_EXIT_EXTENDED = 0x20
};

extern char board_heap_start[];
extern char board_heap_end[];

void board_exit(int status);
int _open(const char *path, int flags, int mode);
int _close(int file);
int _read(int file, char *data, int size);
int _write(int file, const char *data, int size);
int _lseek(int file, int offset, int whence);
int _fstat(int file, struct stat *status);
int _isatty(int file);
int _getpid(void);
int _kill(int process, int signal);
void _exit(int status);
void *_sbrk(ptrdiff_t increment);

static intptr_t semihost(int operation, const void *arguments)
{
    register intptr_t r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = arguments;
    __asm volatile("bkpt #0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void board_exit(int status)
{
    const uintptr_t arguments[2] = {0x20026u, (uintptr_t)status}; /* application exit */
    for (;;) {
        semihost(SYS_EXIT_EXTENDED, arguments);
    }
}

void _exit(int status)
{
    board_exit(status);
    for (;;) {
    }
}

static intptr_t open_as(const char *path, int mode)
{
    const uintptr_t arguments[3] = {(uintptr_t)path, (uintptr_t)mode, strlen(path)};
    return semihost(SYS_OPEN, arguments);
}

/* File 1 and 2 are the console, opened on first use; others are semihosting handles plus 3. */
static intptr_t handle_of(int file)
{
    static intptr_t console = -1;
    if (file > 2) {
        return file - 3;
    }
    if (console < 0) {
        console = open_as(":tt", 4);
    }
    return console;
}

int _open(const char *path, int flags, int mode)
{
    (void)mode;
    const intptr_t handle = open_as(path, (flags & 3) == 0 ? 1 : 5); /* rb, wb */
    if (handle < 0) {
        errno = ENOENT;
        return -1;
    }
    return (int)handle + 3;
}

int _close(int file)
{
    const uintptr_t arguments[1] = {(uintptr_t)handle_of(file)};
    return file > 2 ? (int)semihost(SYS_CLOSE, arguments) : 0;
}

int _read(int file, char *data, int size)
{
    const uintptr_t arguments[3] = {(uintptr_t)handle_of(file), (uintptr_t)data, (uintptr_t)size};
    return size - (int)semihost(SYS_READ, arguments);
}

int _write(int file, const char *data, int size)
{
    const uintptr_t arguments[3] = {(uintptr_t)handle_of(file), (uintptr_t)data, (uintptr_t)size};
    return size - (int)semihost(SYS_WRITE, arguments);
}

int _lseek(int file, int offset, int whence)
{
    (void)file;
    (void)offset;
    (void)whence;
    errno = ESPIPE;
    return -1;
}

int _fstat(int file, struct stat *status)
{
    memset(status, 0, sizeof *status);
    status->st_mode = file > 2 ? S_IFREG : S_IFCHR;
    return 0;
}

int _isatty(int file) { return file <= 2; }
int _getpid(void) { return 1; }

int _kill(int process, int signal)
{
    (void)process;
    (void)signal;
    return -1;
}

void *_sbrk(ptrdiff_t increment)
{
    static char *top = board_heap_start;
    if (increment > board_heap_end - top) {
        errno = ENOMEM;
        return (void *)-1;
    }
    char *const old = top;
    top += increment;
    return old;
}
