# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# KERNELS 6.1 6.12
# MODULE yes
# `numatch module` where it works: it loads what DKMS has installed, else what `numatch module build` has made, or the file that is
# named; it says who uses the module, and takes it out when nobody does.

release=$(uname -r)
built=$HOME/.cache/numatch/module/$release
installed=/lib/modules/$release

# said TEXT: what the last check's command printed has this.
said() {
  cp /tmp/check.out "$OUT/said"
  check "it says: $1" grep -q "$1" "$OUT/said"
}

# loads WHAT FILE [WORD...]: `numatch module load WORD...` loads FILE, which `status` then knows; and unloads it.
loads() {
  what=$1
  file=$2
  shift 2
  check "it loads $what" numatch module load "$@"
  same "it says which file" "$file: loaded" "$(cat /tmp/check.out)"
  check "the module may be used" numatch module status
  cat /tmp/check.out
  said "^module  *loaded in Linux $release"
}

unloads() {
  check "it takes it out" numatch module unload
  same "it says so" "module numatch: unloaded" "$(cat /tmp/check.out)"
  refuse "its device is gone" test -e /dev/numatch
}

refuse "without a module status says no" numatch module status
refuse "without a module there is nothing to load" numatch module load
said "numatch module build makes it"

mkdir -p "$built"
cp /modules/numatch.ko "$built/"
loads "what was built" "$built/numatch.ko"
refuse "it does not load it twice" numatch module load
said "is loaded already.*numatch module unload first"
refuse "a user without rights cannot take it out" as_user numatch module unload
unloads

mkdir -p "$installed/updates/dkms"
cp /modules/numatch.ko "$installed/updates/dkms/"
echo "updates/dkms/numatch.ko:" > "$installed/modules.dep"
loads "what is installed rather than what was built" "$installed/updates/dkms/numatch.ko"
unloads
rm -r "$installed"

loads "a file with a parameter" /modules/numatch.ko /modules/numatch.ko --option precise_pcid=1
same "the module has the parameter" Y "$(cat /sys/module/numatch/parameters/precise_pcid)"
start_ring --private-pages 8 --shared-pages 8
exec 9< /dev/numatch
refuse "it does not take out what somebody has open" numatch module unload
said "is in use"
exec 9<&-
numatch profile -p "$(sed -n 's/^process //p' "$ring")" --sensor module --duration 600 -o "$OUT/ring.nmp" > /dev/null &
observer=$!
until [ "$(live sessions)" = 1 ]; do sleep 0.1; done
numatch module status --json > "$OUT/state.json"
check "status counts the session" grep -q '"sessions": 1' "$OUT/state.json"
kill -TERM "$observer"
wait "$observer"
end_ring
check "nothing of the session is left" becomes 60 nothing_lives
unloads
