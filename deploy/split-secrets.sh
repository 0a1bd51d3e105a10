#!/bin/sh
# Reads lines NAME=value, as `postern admin generate-secrets` prints them, and writes each value to a file FOLDER/NAME that
# only its owner can read.
#
#   postern admin generate-secrets | split-secrets.sh FOLDER
#
# A file that exists is kept: another secret in its place would make keys and stored mail useless. So it may be repeated.
set -eu
umask 077

folder=${1:?Usage: split-secrets.sh FOLDER}
mkdir -p "$folder"

seen=0
while IFS='=' read -r name value || [ -n "$name" ]; do
  case $name in
    '' | '#'*) continue ;;
    *[!A-Z_]*) echo "\"$name\" is no name of a secret; expected NAME=value." >&2 && exit 1 ;;
  esac
  seen=$((seen + 1))
  if [ -e "$folder/$name" ]; then
    echo "kept  $folder/$name, which was there already"
  else
    # A file in place is a whole one, whatever happens meanwhile.
    printf '%s\n' "$value" >"$folder/$name.new"
    mv "$folder/$name.new" "$folder/$name"
    echo "wrote $folder/$name"
  fi
done

if [ "$seen" -eq 0 ]; then
  echo "No secrets came in; the command before the pipe has failed." >&2
  exit 1
fi
