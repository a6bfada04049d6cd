#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# reference_test.sh SOURCE: the reference is made from the headers, which say something of each public name.
set -euo pipefail
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
make=$source/scripts/make-library-reference

"$make" "$scratch/reference"
for name in partitioned partitioned_vector partitioned_map replicated per_node runtime topology; do
  grep -q ">$name</a>" "$scratch/reference/html/annotated.html" || {
    echo "the reference has no $name"
    exit 1
  }
done

# A name without a comment is found.
cp -r "$source/include/numatch" "$scratch/headers"
printf 'namespace numatch {\n/// A class.\nclass lonely {\n public:\n  int unsaid() const;\n};\n}\n' > "$scratch/headers/numa/lonely.hpp"
code=0
"$make" --headers "$scratch/headers" "$scratch/wrong" 2> "$scratch/said" || code=$?
if [ "$code" -ne 1 ] || ! grep -q 'unsaid.*is not documented' "$scratch/said"; then
  echo "a name without a comment was not found: exit code $code"
  cat "$scratch/said"
  exit 1
fi
# A folder without the library's headers is refused.
code=0
"$make" --headers "$scratch/reference" "$scratch/none" 2> "$scratch/said" || code=$?
[ "$code" -eq 2 ] && grep -q 'has no folder numa' "$scratch/said"
