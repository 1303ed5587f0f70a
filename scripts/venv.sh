#!/bin/sh
# Make a virtual environment; on Debian the venv module may be a package of its own.
set -eu
python="$1"
folder="$2"
[ -x "$folder/bin/python" ] && exit 0
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "nacre needs Python 3.11 or later; $python is $("$python" --version 2>&1)" >&2
    exit 2
}
if "$python" -m venv "$folder" >/dev/null 2>&1; then
    exit 0
fi
rm -rf "$folder"
root=""
[ "$(id -u)" = 0 ] || root="sudo -n"
if command -v apt-get >/dev/null && $root true 2>/dev/null; then
    $root apt-get update -qq && $root apt-get install -y -qq python3-venv >/dev/null
fi
"$python" -m venv "$folder" || {
    echo "$python cannot make a virtual environment: install the Debian package python3-venv" >&2
    exit 2
}
