#!/usr/bin/env bash
# pictures.sh UNMASK [FOLDER]: takes pictures of the text as a terminal of 80, 120 and 200 columns shows it, into FOLDER (fixtures/pictures), a file
# each. Needs tmux.
set -euo pipefail
unmask=$(realpath "${1:?usage: pictures.sh UNMASK [FOLDER]}")
folder=$(realpath -m "${2:-$(dirname "$0")/../fixtures/pictures}")
cd "$(dirname "$0")/.."
mkdir -p "$folder"

server=unmask-pictures-$$
scratch=$(mktemp -d)
# A server ends with its last session. `kill-server` would send it a SIGTERM, which whoever started this may have had blocked.
end() {
    local session
    for session in $(tmux -L "$server" list-sessions -F '#S' 2>/dev/null); do
        tmux -L "$server" kill-session -t "$session" 2>/dev/null || true
    done
    rm -rf "$scratch"
}
trap end EXIT

# picture NAME COLUMNS ARGUMENT…: what stands on the screen when the program has ended, without the empty lines after it.
picture() {
    local name=$1 columns=$2
    shift 2
    local command
    command="TZ=UTC0 TERM=screen NO_COLOR=1 $(printf '%q ' "$unmask" "$@"); tmux -L $server wait-for -S $name-$columns; exec cat"
    # A config of the user's could change what is shown.
    tmux -L "$server" -f /dev/null new-session -d -s "$name-$columns" -x "$columns" -y 200 "$command"
    tmux -L "$server" wait-for "$name-$columns"
    tmux -L "$server" capture-pane -p -t "$name-$columns" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >"$scratch/$name-$columns"
    tmux -L "$server" kill-session -t "$name-$columns"
    mv "$scratch/$name-$columns" "$folder/$name-$columns.txt"
}

# A session of its own keeps the server while others come and go.
tmux -L "$server" -f /dev/null new-session -d -s keep -x 80 -y 24 'exec cat'
for columns in 80 120 200; do
    picture chat "$columns" read fixtures/websockets-deflate/capture.pcapng &
    picture web "$columns" read --follow fixtures/curl-nginx-http/capture.pcapng &
    picture refused "$columns" read fixtures/upgrade-refused/capture.pcapng &
    picture events "$columns" read --follow fixtures/event-stream/capture.pcap &
    picture full "$columns" read --full --headers fixtures/bodies-and-messages/capture.pcap &
    picture raw "$columns" read fixtures/raw-length-prefixed/capture.pcapng &
done
for job in $(jobs -p); do wait "$job"; done
