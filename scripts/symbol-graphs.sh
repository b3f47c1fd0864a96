#!/usr/bin/env bash
# Writes the symbol graphs of the library for other programs: what its modules declare as public, with its documentation.
# Arguments: the folder of a build that has its modules, such as .build/tests/debug/Modules, and the folder to write to.
set -euo pipefail
cd "$(dirname "$0")/.."

modules=$1
output=$2
extract=$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}")")")/swift-symbolgraph-extract
[ -x "$extract" ] || extract=swift-symbolgraph-extract
target=$("${SWIFT:-swift}" -print-target-info | sed -n 's/^ *"unversionedTriple": *"\(.*\)".*/\1/p')
# The C libraries that the modules below stand on.
headers=()
for folder in Sources/C*/; do [ -e "$folder/module.modulemap" ] && headers+=(-I "$folder"); done
for module in UnmaskConversations UnmaskDecryption; do
    "$extract" -module-name "$module" -target "$target" -I "$modules" "${headers[@]}" -minimum-access-level public \
        -skip-synthesized-members -output-dir "$output"
done
