#!/bin/sh
# Install the Debian packages that the tests use, where that is allowed; else the tests that
# need a missing one say so and are left out.
set -u
missing=""
while read -r command package; do
    command -v "$command" >/dev/null 2>&1 || missing="$missing $package"
done <<LIST
gcc gcc
clang clang
cmake cmake
valgrind valgrind
arm-none-eabi-gcc gcc-arm-none-eabi
qemu-system-arm qemu-system-arm
chromium chromium
LIST
if command -v arm-none-eabi-gcc >/dev/null 2>&1 &&
    [ ! -e "$(arm-none-eabi-gcc -print-file-name=libc.a)" ]; then
    missing="$missing libnewlib-arm-none-eabi"
fi
case "$missing" in *gcc-arm-none-eabi*) missing="$missing libnewlib-arm-none-eabi" ;; esac
# The sanitizers and the fuzzer of clang; clang alone does not bring them.
[ -e "$(clang -print-file-name=libclang_rt.fuzzer-x86_64.a 2>/dev/null)" ] ||
    missing="$missing libclang-rt-dev"
[ -z "$missing" ] && exit 0
root=""
[ "$(id -u)" = 0 ] || root="sudo -n"
if ! command -v apt-get >/dev/null || ! $root true 2>/dev/null; then
    echo "not installed, and may not be installed here:$missing (their tests are left out)" >&2
    exit 0
fi
echo "installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
$root apt-get update -qq >/dev/null &&
    # shellcheck disable=SC2086
    $root apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
    echo "could not install:$missing (their tests are left out)" >&2
exit 0
