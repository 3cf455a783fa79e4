#!/usr/bin/env bash
# tools/sandbox/engine.sh up|down: a container engine for tests, with its socket, data and state in one folder
# ($SANDBOX_ENGINE_DIR). It touches no network of the host: no bridge, no iptables, no forwarding. `up` prints the value of
# DOCKER_HOST. Needs root and Debian's docker.io.
set -euo pipefail
DIR=${SANDBOX_ENGINE_DIR:-${TMPDIR:-/tmp}/millrace-sandbox-engine}
SOCKET=$DIR/docker.sock

answers() { curl -sf --max-time 5 --unix-socket "$SOCKET" http://engine/_ping >/dev/null 2>&1; }

up() {
  mkdir -p "$DIR"
  chmod 700 "$DIR"
  if ! answers; then
    rm -f "$DIR/dockerd.pid"
    nohup dockerd --host "unix://$SOCKET" --data-root "$DIR/data" --exec-root "$DIR/exec" --pidfile "$DIR/dockerd.pid" \
      --bridge=none --iptables=false --ip6tables=false --ip-masq=false --ip-forward=false \
      --exec-opt native.cgroupdriver=cgroupfs >"$DIR/dockerd.log" 2>&1 </dev/null &
    for _ in $(seq 1 200); do answers && break; sleep 0.1; done
    answers || { tail -n 20 "$DIR/dockerd.log" >&2; exit 1; }
  fi
  echo "unix://$SOCKET"
}

down() {
  local pid
  pid=$(cat "$DIR/dockerd.pid" 2>/dev/null || true)
  if [ -n "$pid" ] && kill "$pid" 2>/dev/null; then
    for _ in $(seq 1 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
  fi
  # Containers on the network of the host leave a mount behind.
  for mount in "$DIR/data" "$DIR"/exec/netns/*; do umount -l "$mount" 2>/dev/null || true; done
  rm -rf "$DIR" || true
}

case "${1:-}" in
  up | down) "$1" ;;
  *) echo "usage: $0 up|down" >&2; exit 2 ;;
esac
