#!/usr/bin/env bash
# Builds the documentation of the library for other programs with the toolchain's docc, and fails for a warning: a link that leads nowhere, an article
# that no page has. Argument: the folder of a build that has the modules.
set -euo pipefail
cd "$(dirname "$0")/.."

graphs=.build/library-symbols
output=.build/library.doccarchive
rm -rf "$graphs" "$output"
mkdir -p "$graphs"
scripts/symbol-graphs.sh "$1" "$graphs"
docc=$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}")")")/docc
[ -x "$docc" ] || docc=docc
"$docc" convert Sources/UnmaskConversations/Documentation.docc --fallback-display-name UnmaskConversations \
    --fallback-bundle-identifier unmask.UnmaskConversations --additional-symbol-graph-dir "$graphs" --warnings-as-errors \
    --output-path "$output"
echo "$output"
