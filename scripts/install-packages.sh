#!/usr/bin/env bash
# Installs the system packages that the build needs, only those that are missing. Without the right to, it prints the line
# to type and fails.
set -euo pipefail

if ! command -v swift >/dev/null; then
    echo "Swift is missing. Unmask is built with Swift 6.3: https://www.swift.org/install" >&2
    exit 1
fi

case "$(uname -s)" in
Darwin)
    # libpcap, zlib and SQLite come with the system.
    if command -v brew >/dev/null && brew list brotli zstd pcre2 libyaml >/dev/null 2>&1; then exit 0; fi
    echo "Please run: brew install brotli zstd pcre2 libyaml pkg-config" >&2
    exit 1
    ;;
esac

if ! command -v dpkg-query >/dev/null; then
    for header in pcap/pcap.h zlib.h zstd.h brotli/decode.h pcre2.h sqlite3.h yaml.h; do
        if ! [ -e "/usr/include/$header" ]; then
            echo "<$header> is missing. Please install the development packages of libpcap, zlib, libzstd, brotli, PCRE2, SQLite and libyaml" >&2
            echo "(Fedora: dnf install libpcap-devel zlib-devel libzstd-devel brotli-devel pcre2-devel sqlite-devel libyaml-devel)." >&2
            exit 1
        fi
    done
    exit 0
fi

missing=()
for package in libpcap-dev zlib1g-dev libzstd-dev libbrotli-dev libpcre2-dev libsqlite3-dev libssl-dev libyaml-dev; do
    state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
    echo "System packages are missing. Please run: sudo apt-get install ${missing[*]}" >&2
    exit 1
fi
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get -qq -o DPkg::Lock::Timeout=300 update
apt-get -qq -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "${missing[@]}" >/dev/null
