#!/usr/bin/env bash
# install.sh UNMASK PREFIX: installs the program without its debugging information, with the completions of bash, zsh and fish and the pages of
# man, under DESTDIR if that is set. install.sh --remove PREFIX takes all of it away again.
set -euo pipefail
usage="usage: install.sh UNMASK PREFIX, or install.sh --remove PREFIX"
unmask=${1:?$usage}
root=${DESTDIR:-}${2:?$usage}
here=$(cd "$(dirname "$0")" && pwd)

bash_completion=$root/share/bash-completion/completions/unmask
zsh_completion=$root/share/zsh/site-functions/_unmask
fish_completion=$root/share/fish/vendor_completions.d/unmask.fish
pages=$root/share/man/man1
# What `run --watch` loads into programs, beside the program that is installed.
preload=$root/lib/unmask/libunmask-keys.so

if [ "$unmask" = --remove ]; then
    rm -f "$root/bin/unmask" "$bash_completion" "$zsh_completion" "$fish_completion" "$pages"/unmask.1 "$pages"/unmask-*.1 "$preload"
    rmdir "$(dirname "$preload")" 2>/dev/null || true
    exit 0
fi

# What it prints is written before anything is installed: a program that does not run installs nothing.
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
for shell in bash zsh fish; do "$unmask" --generate-completion-script "$shell" >"$made/$shell"; done
# A completion is read by the shell, and is no program.
sed -i '1{/^#!/d}' "$made/bash"
mkdir "$made/pages"
"$unmask" --experimental-dump-help | "$here/man-pages.py" "$made/pages"
cp "$unmask" "$made/unmask"
# Two thirds of the file are for debuggers.
strip "$made/unmask"

install -d "$root/bin" "$(dirname "$bash_completion")" "$(dirname "$zsh_completion")" "$(dirname "$fish_completion")" "$pages"
install -m 755 "$made/unmask" "$root/bin/unmask"
if [ -e "$(dirname "$unmask")/libunmask-keys.so" ]; then
    install -d "$(dirname "$preload")"
    install -m 644 "$(dirname "$unmask")/libunmask-keys.so" "$preload"
fi
install -m 644 "$made/bash" "$bash_completion"
install -m 644 "$made/zsh" "$zsh_completion"
install -m 644 "$made/fish" "$fish_completion"
install -m 644 "$made"/pages/*.1 "$pages"
