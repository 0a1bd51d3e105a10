#!/usr/bin/env bash
# Prints the path of the kustomize of Debian sid. Debian 12 has none, and its kubectl 1.20 does not know what the manifests use. The
# package comes from the mirror that apt uses on this machine; nothing is installed.
set -euo pipefail

cache="${XDG_CACHE_HOME:-$HOME/.cache}/postern-ci"
program="$cache/kustomize-sid"
mkdir -p "$cache"
exec 9>"$cache/kustomize-sid.lock"
flock --wait 300 9
if [ ! -x "$program" ]; then
  work=$(mktemp -d "$cache/kustomize.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work"/lists/partial "$work"/cache/archives/partial "$work"/debs "$work"/root
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -1)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >"$work/sid.list"
  options=(-o "Dir::Etc::sourcelist=$work/sid.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache=$work/cache" -o Dir::State::status=/dev/null -o Acquire::Check-Valid-Until=false
    -o Acquire::Languages=none -o Acquire::Retries=3 -o "APT::Sandbox::User=$(id -un)")
  apt-get "${options[@]}" update >&2
  (cd "$work/debs" && apt-get "${options[@]}" download kustomize) >&2
  dpkg-deb -x "$work"/debs/kustomize_*.deb "$work/root"
  mv "$work/root/usr/bin/kustomize" "$program"
fi
echo "$program"
