#!/usr/bin/env bash
# preload.sh FOLDER: builds libunmask-keys.so there, which `unmask run --watch` loads into a program so that its OpenSSL writes keys (preload/keys.c).
# The same source and compiler give the same bytes. On other systems than Linux there is nothing to build.
set -euo pipefail
folder=$(realpath "${1:?usage: preload.sh FOLDER}")
cd "$(dirname "$0")/.."
[ "$(uname -s)" = Linux ] || exit 0
library=$folder/libunmask-keys.so
[ "$library" -nt preload/keys.c ] && exit 0
"${CC:-cc}" -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -shared -s -Wl,-z,relro,-z,now,--build-id=none -o "$library.new" preload/keys.c
mv "$library.new" "$library"
