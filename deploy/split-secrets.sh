#!/bin/sh
# Reads NAME=value lines from `postern admin generate-secrets` and writes each value to a file FOLDER/NAME that only its
# owner can read.
#
#   postern admin generate-secrets | split-secrets.sh FOLDER
#
# It keeps existing files: a replaced secret would invalidate API keys and stored mail. So the script is repeatable.
set -eu
umask 077

folder=${1:?Usage: split-secrets.sh FOLDER}
mkdir -p "$folder"

seen=0
while IFS='=' read -r name value || [ -n "$name" ]; do
  case $name in
    '' | '#'*) continue ;;
    *[!A-Z_]*) echo "\"$name\" is not a valid name of a secret. Each line must be NAME=value." >&2 && exit 1 ;;
  esac
  seen=$((seen + 1))
  if [ -e "$folder/$name" ]; then
    echo "kept  $folder/$name, which already exists"
  else
    # A rename makes the file appear complete, even if the script is interrupted.
    printf '%s\n' "$value" >"$folder/$name.new"
    mv "$folder/$name.new" "$folder/$name"
    echo "wrote $folder/$name"
  fi
done

if [ "$seen" -eq 0 ]; then
  echo "split-secrets.sh received no secrets. Check the output of the command before the pipe." >&2
  exit 1
fi
