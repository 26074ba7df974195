#!/usr/bin/env bash
# The entry point of the external grader: PrairieLearn has copied this folder to /grade/tests and
# the submission to /grade/student. What it prints is shown to staff alone.
set -uo pipefail
cd "$(dirname "$0")"
root=$(dirname "$PWD")
packages=$(mktemp -d)

failed() {
  mkdir -p "$root/results"
  echo '{"gradable": false, "format_errors": ["The grader failed, which is no fault of yours and costs no attempt. Please tell the course staff."]}' \
    > "$root/results/results.json"
  echo "$1"
  exit 0
}

# The submission runs as another user where this is root; it may read nothing here.
chmod -R go-rwx bundle "$root/student"
for python in python3 @PYTHONS@; do
  command -v "$python" >/dev/null 2>&1 && "$python" unpack.py wheels "$packages" && break
  python=
done
[ -n "$python" ] || failed "The image has none of the Pythons that this folder has packages for: @PYTHONS@"
chmod -R go+rX "$packages"
"$python" -c 'import sys; sys.path.insert(0, sys.argv[1]); import numpy' "$packages" \
  || failed "The image has no NumPy: use one that has, or export again with --numpy"
"$python" grade.py "$root" "$packages" || failed "The judge failed; see above"
