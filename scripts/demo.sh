#!/bin/sh
# Convert the bundled example, build it with the host's compiler, run it, compare.
set -eu
bin="$1"
folder="$2"
"$bin/nacre" convert examples/dscnn.tflite -o "$folder" --module.name kws \
    --test.golden "$(pwd)/examples/dscnn_golden.npz"
cc="${CC:-cc}"
# shellcheck disable=SC2046
"$cc" -std=c99 -O2 -Wall -Wextra -Wconversion -Werror -I "$folder" -o "$folder/../kws_example" \
    $(find "$folder" -name '*.c') -lm
echo
echo "  built with $cc; running the golden vectors:"
result=0
output=$("$folder/../kws_example") || result=$?
echo "$output" | sed 's/^/    /'
[ "$result" = 0 ] || exit 1
echo
echo "  the module is in $(cd "$folder" && pwd)"
