#!/usr/bin/env bash
# Restores the newest backup, or a moment, beside the running database, and checks that Postern's data is in it. Touches neither the
# database nor the archive. Run it as the user postgres, every week by a timer: a backup that nobody restored is a hope.
#
#   restore-drill.sh [--target '2026-11-18 09:00:00+00'] [--config FILE] [--stanza postern] [--database postern] [--bin DIR] [--folder DIR]
#
# Prints one "name value" per line and exits with 0 when the restored database is usable, otherwise with 1.
set -euo pipefail

config=/etc/pgbackrest/pgbackrest.conf
stanza=postern
database=postern
user=postgres
bin=
folder=${TMPDIR:-/tmp}
target=
while [ $# -gt 0 ]; do
  case $1 in
    --target) target=$2 ;;
    --config) config=$2 ;;
    --stanza) stanza=$2 ;;
    --database) database=$2 ;;
    --user) user=$2 ;;
    --bin) bin=$2 ;;
    --folder) folder=$2 ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
# The newest installed version, unless named.
[ -n "$bin" ] || bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)

scratch=$(mktemp -d "$folder/restore-drill.XXXXXX")
data=$scratch/data
clean() {
  "$bin/pg_ctl" -D "$data" -m immediate -w stop >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap clean EXIT
mkdir -m 0700 "$data"

recovery=(--type=default)
[ -z "$target" ] || recovery=(--type=time "--target=$target" --target-action=promote)
began=$(date +%s.%N)
pgbackrest --config="$config" --stanza="$stanza" --pg1-path="$data" --archive-mode=off --log-level-console=warn \
  "${recovery[@]}" restore
copied=$(date +%s.%N)

# Recovery needs at least the limits of the server that was backed up. The rest of its configuration stays away: Debian keeps it
# elsewhere, and it may name files and libraries that the drill does not need.
"$bin/pg_controldata" -D "$data" | awk -F ': +' '
  /^max_(connections|worker_processes|wal_senders) setting/ { sub(/ setting/, "", $1); print $1 " = " $2 }
  /^max_prepared_xacts setting/ { print "max_prepared_transactions = " $2 }
  /^max_locks_per_xact setting/ { print "max_locks_per_transaction = " $2 }' >"$data/postgresql.conf"
# A socket in the scratch folder and no TCP port: no process of Postern can reach it.
echo "listen_addresses = ''
unix_socket_directories = '$scratch'" >>"$data/postgresql.conf"
echo 'local all all trust' >"$data/pg_hba.conf"
: >"$data/pg_ident.conf"
"$bin/pg_ctl" -D "$data" -l "$scratch/log" -t 3600 -w start >/dev/null ||
  { tail -50 "$scratch/log" >&2; exit 1; }
query() { "$bin/psql" -X -A -t -v ON_ERROR_STOP=1 -h "$scratch" -U "$user" -d "$database" -c "$1"; }
until [ "$(query 'select pg_is_in_recovery()')" = f ]; do sleep 0.2; done
ready=$(date +%s.%N)

# Heartbeats are written every five seconds while a process of Postern runs, so the newest one shows up to when the data reaches.
newest=$(query "select coalesce(max(seen_at), 'epoch') from processes")
sends=$(query "select count(*) from sends")
queued=$(query "select count(*) from send_queue")
schema=$(query "select max(name) from schema_migrations")
# Reads every row once: a damaged page fails here and not on the day of the restore.
"$bin/pg_dump" -h "$scratch" -U "$user" -d "$database" -f /dev/null

seconds() { awk -v from="$1" -v to="$2" 'BEGIN { printf "%.1f\n", to - from }'; }
echo "restored_to ${target:-latest}"
echo "newest_heartbeat $newest"
echo "heartbeat_age_seconds $(seconds "$(query "select extract(epoch from max(seen_at)) from processes")" "$ready")"
echo "schema $schema"
echo "sends $sends"
echo "queued $queued"
echo "copy_seconds $(seconds "$began" "$copied")"
echo "recovery_seconds $(seconds "$copied" "$ready")"
[ "$sends" -gt 0 ] || { echo "the restored database has no sends" >&2; exit 1; }
