#!/bin/sh
# Executes the command as a container would: the root file system is read-only and holds only the image and the system's
# libraries; the user is not root, has no capabilities and can gain none. It needs root and its own mount namespace:
#
#   unshare --mount --propagation private sh enter-image.sh IMAGE SECRETS NODE USER:GROUP COMMAND...
set -eu
image=$1 secrets=$2 node=$3 user=${4%:*} group=${4#*:}
shift 4

root=$(dirname "$image")/root
mkdir -p "$root"
mount -t tmpfs -o mode=755 none "$root"

for name in bin sbin lib lib64 usr etc; do
  if [ -L "/$name" ]; then
    cp -P "/$name" "$root/$name"
  elif [ -d "/$name" ]; then
    mkdir "$root/$name"
    mount --bind -o ro "/$name" "$root/$name"
  fi
done

mkdir -p "$root/app" "$root/tmp" "$root/node" "$root/dev" "$root/proc" "$root/run/secrets"
mount --bind -o ro "$image/app" "$root/app"
mount --bind -o ro "$secrets" "$root/run/secrets"
touch "$root/node/node"
mount --bind -o ro "$node" "$root/node/node"
mount --bind /dev "$root/dev"
mount --bind /proc "$root/proc"
mount -o remount,ro "$root"

exec chroot "$root" env --chdir=/app PATH=/node:/usr/bin:/bin \
  setpriv --reuid="$user" --regid="$group" --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all "$@"
