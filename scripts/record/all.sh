#!/usr/bin/env bash
# Records fixtures/ anew: real programs that talk over loopback, in a network namespace of their own, so that nothing else is
# on the wire and every port is free. all.sh [chromium.py …] records only these.
set -euo pipefail
cd "$(dirname "$0")"

if [ -z "${UNMASK_RECORD_NAMESPACE:-}" ]; then
    [ "$(id -u)" -eq 0 ] || { echo "Recording needs root (network namespaces, tcpdump)." >&2; exit 1; }
    exec env UNMASK_RECORD_NAMESPACE=1 unshare --net --mount --propagation private "$PWD/all.sh" "$@"
fi

ip link set lo up
for script in "${@:-chromium.py websockets_peers.py node.py nginx_curl.py raw_tcp.py links.py messaging.py tls_keys.py http2.py http2_grpc.py chromium_http2.py}"; do
    for one in $script; do
        timeout 120 python3 "$one" || { echo "$one failed" >&2; failed=1; }
    done
done
exit "${failed:-0}"
