#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Proves that README's commands work on a machine that has nothing: makes a minimal system below FOLDER with debootstrap,
# clones this repository's HEAD into it and runs COMMAND there, in the clone. Needs root, debootstrap and the network.
#
#   tools/try_fresh_root.sh bookworm /var/tmp/plumb-root './run.sh check'
#   tools/try_fresh_root.sh noble    /var/tmp/plumb-root ./test.sh
#
# The system is kept as FOLDER/SUITE and the run happens in a copy (FOLDER/SUITE.run), so each run starts fresh.
set -eu
if [ $# -lt 3 ]; then
  sed -n '3,10p' "$0" >&2
  exit 2
fi
suite=$1 folder=$2
shift 2
repository=$(cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd)
case $suite in
  bookworm | trixie) mirror=http://deb.debian.org/debian components=main ;;
  *) mirror=http://archive.ubuntu.com/ubuntu components=main,universe ;;
esac

base=$folder/$suite
if [ ! -e "$base/ready" ]; then
  rm -rf "$base"
  mkdir -p "$base"
  options=(--variant=minbase --components="$components")
  script=()
  if [ ! -e "/usr/share/debootstrap/scripts/$suite" ]; then # an older debootstrap: all Ubuntus are alike
    script=(/usr/share/debootstrap/scripts/gutsy)
  fi
  if [ "$components" = main,universe ] && [ ! -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ]; then
    options+=(--no-check-gpg)
  fi
  debootstrap "${options[@]}" "$suite" "$base" "$mirror" "${script[@]}"
  if [ "$components" = main ]; then
    printf '%s\n' "deb $mirror $suite main" "deb $mirror $suite-updates main" \
      "deb http://deb.debian.org/debian-security $suite-security main" >"$base/etc/apt/sources.list"
  else
    printf '%s\n' "deb $mirror $suite main universe" "deb $mirror $suite-updates main universe" >"$base/etc/apt/sources.list"
  fi
  touch "$base/ready"
fi

run=$folder/$suite.run
cleanup() {
  for inside in proc sys dev/pts dev; do
    umount -l "$run/$inside" 2>/dev/null || true
  done
}
cleanup
rm -rf "$run"
cp -a --reflink=auto "$base" "$run"
trap cleanup EXIT
for inside in proc sys dev dev/pts; do
  mount --bind "/$inside" "$run/$inside"
done
cp /etc/resolv.conf "$run/etc/resolv.conf"
git clone -q --no-hardlinks "$repository" "$run/root/plumb clone" # a blank in the path, as people have
echo "== $suite: $*"
start=$SECONDS
status=0
chroot "$run" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
  /bin/bash -c "cd '/root/plumb clone' && $*" || status=$?
echo "== $suite: exit code $status after $((SECONDS - start)) s"
exit $status
