#!/bin/sh
# Does what compose.evaluation.yaml needs of the published image postgres:18: the same settings, user and data folder.
set -eu
data=/var/lib/postgresql/18/docker
bin=/usr/lib/postgresql/18/bin
install -d -o postgres -g postgres /run/postgresql
if [ ! -s "$data/PG_VERSION" ]; then
  mkdir -p "$data"
  chown -R postgres:postgres /var/lib/postgresql
  chmod 700 "$data"
  printf '%s\n' "$POSTGRES_PASSWORD" >/tmp/password
  chown postgres /tmp/password
  gosu postgres "$bin/initdb" --pgdata="$data" --username="$POSTGRES_USER" --pwfile=/tmp/password --auth=scram-sha-256 \
    --encoding=UTF8 --locale=C.UTF-8
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
  # While it initializes, the server listens on a Unix socket only.
  gosu postgres "$bin/pg_ctl" --pgdata="$data" --wait --options="-c listen_addresses=''" start
  [ "$POSTGRES_DB" = postgres ] || PGPASSWORD=$POSTGRES_PASSWORD gosu postgres createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  gosu postgres "$bin/pg_ctl" --pgdata="$data" --wait --mode=fast stop
fi
exec gosu postgres "$bin/postgres" -D "$data" -c listen_addresses='*' "$@"
