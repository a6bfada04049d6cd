#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# installed_test.sh BUILD SOURCE CXX: installs into an empty folder and builds a user's program against
# it, once with CMake and once with pkg-config.
set -euo pipefail
build=$1 source=$2 cxx=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

DESTDIR='' cmake --install "$build/library" --prefix "$folder/prefix" > /dev/null
# Moved, because nothing may remember where it was installed first.
mv "$folder/prefix" "$folder/moved"

cmake -S "$source/tests/library/installed" -B "$folder/user" -DCMAKE_CXX_COMPILER="$cxx" \
  -DCMAKE_PREFIX_PATH="$folder/moved" > /dev/null
cmake --build "$folder/user" > /dev/null
[ "$("$folder/user/user")" = 600 ]

package=$(dirname "$(find "$folder/moved" -name numatch-numa.pc)")
export PKG_CONFIG_PATH=$package
read -ra flags <<< "$(pkg-config --cflags --libs numatch-numa)"
"$cxx" -std=c++20 "$source/tests/library/installed/user.cpp" -o "$folder/by_hand" "${flags[@]}"
[ "$(LD_LIBRARY_PATH="$package/.." "$folder/by_hand")" = 600 ]
