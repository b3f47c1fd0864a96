#!/usr/bin/env bash
# dist.sh UNMASK FOLDER: makes what a release consists of, in FOLDER: a tar.gz of the stripped program with its pages of man and completions, a
# package for Debian, a list of what is in it (SPDX), and the checksums of all three. The version is the program's own.
#
# The same program gives the same bytes: every time is that of the last commit (or SOURCE_DATE_EPOCH), every owner is root, names are sorted, and
# gzip and xz write no time of their own. DIST_LEVEL is how hard they try (1 to 9, else 9 and 6).
set -euo pipefail
usage="usage: dist.sh UNMASK FOLDER"
unmask=$(realpath "${1:?$usage}")
mkdir -p "${2:?$usage}"
folder=$(realpath "$2")
cd "$(dirname "$0")/.."

for needed in dpkg-deb dpkg-shlibdeps strip python3; do
    command -v "$needed" >/dev/null || { echo "dist.sh: $needed is missing (apt-get install dpkg-dev binutils python3)" >&2; exit 1; }
done

version=$("$unmask" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+')
architecture=$(dpkg --print-architecture)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export TZ=UTC LC_ALL=C
umask 022
name=unmask-$version-linux-$(uname -m)

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# archive FOLDER FILE: what lies in FOLDER, as a tar.gz.
archive() {
    tar --create --directory "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu . |
        gzip --no-name "-${DIST_LEVEL:-9}" >"$2"
}

# The archive: a folder to unpack under a prefix, or to run where it lies.
scripts/install.sh "$unmask" "$made/archive/$name"
cp LICENSE README.md CHANGELOG.md "$made/archive/$name"
archive "$made/archive" "$folder/$name.tar.gz"

# The package. It has no scripts of its own: what it brings is files, and goes with them.
root=$made/package
DESTDIR=$root scripts/install.sh "$unmask" /usr
gzip --no-name -9 "$root"/usr/share/man/man1/*.1
documents=$root/usr/share/doc/unmask
install -d "$documents" "$root/DEBIAN"
install -m 644 packaging/copyright "$documents/copyright"
gzip --no-name -9 --stdout CHANGELOG.md >"$documents/CHANGELOG.md.gz"
maintainer=$(cat packaging/maintainer)
printf 'unmask (%s) unstable; urgency=medium\n\n  * What changes is in CHANGELOG.md.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(date --rfc-email --date="@$SOURCE_DATE_EPOCH")" | gzip --no-name -9 >"$documents/changelog.gz"
install -d "$made/source/debian"
printf 'Source: unmask\nMaintainer: %s\n\nPackage: unmask\nArchitecture: any\nDescription: unmask\n' "$maintainer" \
    >"$made/source/debian/control"
# The libraries that it is linked with, and since which of their versions.
depends=$(cd "$made/source" && dpkg-shlibdeps -O --warnings=0 -e"$root/usr/bin/unmask" | sed 's/^shlibs:Depends=//')
sed -e "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@MAINTAINER@/$maintainer/" \
    -e "s/@SIZE@/$(du --summarize --block-size=1024 --apparent-size --exclude=DEBIAN "$root" | cut -f1)/; s/@DEPENDS@/$depends/" \
    packaging/control.in >"$root/DEBIAN/control"
(cd "$root" && find usr -type f | sort | xargs md5sum) >"$root/DEBIAN/md5sums"
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz "-z${DIST_LEVEL:-6}" --build "$root" "$folder/unmask_${version}_$architecture.deb" >/dev/null

scripts/bill-of-materials.py "$version" "$root/usr/bin/unmask" >"$folder/unmask-$version.spdx.json"

(cd "$folder" && sha256sum "$name.tar.gz" "unmask_${version}_$architecture.deb" "unmask-$version.spdx.json" >SHA256SUMS)
(cd "$folder" && ls -l "$name.tar.gz" "unmask_${version}_$architecture.deb" "unmask-$version.spdx.json" SHA256SUMS)
