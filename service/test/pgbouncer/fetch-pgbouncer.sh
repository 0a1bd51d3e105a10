#!/usr/bin/env bash
# Prints a folder with the PgBouncer of Debian sid and the libraries it needs. Debian 12 has 1.18, which cannot carry prepared
# statements in transaction mode. The packages come from the mirror that apt uses on this machine; nothing is installed.
# Run it with `lib/ld-linux-*.so.* --library-path lib pgbouncer`.
set -euo pipefail

cache="${XDG_CACHE_HOME:-$HOME/.cache}/postern-ci"
done="$cache/pgbouncer-sid"
mkdir -p "$cache"
exec 9>"$cache/pgbouncer-sid.lock"
flock --wait 300 9
if [ ! -x "$done/pgbouncer" ]; then
  work=$(mktemp -d "$cache/pgbouncer.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work"/lists/partial "$work"/cache/archives/partial "$work"/debs "$work"/root "$work"/ready/lib
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -1)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >"$work/sid.list"
  options=(-o "Dir::Etc::sourcelist=$work/sid.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache=$work/cache" -o Dir::State::status=/dev/null -o Acquire::Check-Valid-Until=false
    -o Acquire::Languages=none -o Acquire::Retries=3 -o "APT::Sandbox::User=$(id -un)")
  apt-get "${options[@]}" update >&2
  needs=$(apt-cache "${options[@]}" depends --important pgbouncer | awk '$1 == "Depends:" && $2 ~ /^z?lib/ { print $2 }')
  # shellcheck disable=SC2086 # one word for each package
  all=$(apt-cache "${options[@]}" depends --recurse --important $needs | grep -E '^z?lib' | sort -u)
  # shellcheck disable=SC2086
  (cd "$work/debs" && apt-get "${options[@]}" download pgbouncer $all) >&2
  for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$work/root"; done
  find "$work/root" -path '*/gconv/*' -prune -o \( -name 'lib*.so.*' -o -name 'ld-linux-*.so.*' \) -exec cp -L {} "$work/ready/lib/" \;
  cp "$work/root/usr/sbin/pgbouncer" "$work/ready/"
  rm -rf "$done"
  mv "$work/ready" "$done"
fi
echo "$done"
