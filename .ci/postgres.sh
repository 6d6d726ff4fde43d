#!/bin/sh
# Starts and stops a throw-away PostgreSQL for tests: `postgres.sh start DIRECTORY` prints its URL, `postgres.sh stop DIRECTORY`
# stops it and keeps its data. The server never runs as root (for root: as nobody, who must be able to reach the directory) and
# listens on 127.0.0.1 alone.
set -eu

action=${1:?start or stop}
directory=${2:?a directory}
bin=${POSTGRES_BIN:-$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)}
if [ -z "$bin" ]; then bin=$(dirname "$(command -v postgres)"); fi

as_owner() {
  if [ "$(id -u)" -eq 0 ]; then runuser -u nobody -- "$@"; else "$@"; fi
}

free_port() {
  node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); });'
}

case $action in
  start)
    if [ ! -d "$directory/data" ]; then
      mkdir -p "$directory"
      if [ "$(id -u)" -eq 0 ]; then chown nobody "$directory"; fi
      as_owner "$bin/initdb" -D "$directory/data" -U toolsieve -A trust -E UTF8 --locale=C -N >/dev/null
      as_owner sh -c 'echo "$1" >"$2/port"' sh "$(free_port)" "$directory"
    fi
    port=$(cat "$directory/port")
    as_owner "$bin/pg_ctl" -D "$directory/data" -w -l "$directory/log" \
      -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off" start >/dev/null
    echo "postgres://toolsieve@127.0.0.1:$port/postgres"
    ;;
  stop)
    as_owner "$bin/pg_ctl" -D "$directory/data" -m immediate -w stop >/dev/null
    ;;
  *)
    echo "usage: postgres.sh start|stop DIRECTORY" >&2
    exit 2
    ;;
esac
