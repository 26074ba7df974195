#!/usr/bin/env bash
# Runs once, as root, when Gradescope builds the image. Everything but Python itself is in this
# folder; Python is installed only when the image has none that these wheels are for.
set -euo pipefail
cd "$(dirname "$0")"

versions=(@VERSIONS@)

unpack() {
  command -v "$1" >/dev/null 2>&1 || return 1
  rm -rf packages
  "$1" unpack.py wheels packages --compile || return 1
  command -v "$1" > python
}

ready() {
  local version
  unpack python3 && return
  for version in "${versions[@]}"; do unpack "python$version" && return; done
  return 1
}

if ! ready; then
  for version in "${versions[@]}"; do
    apt-get install -y "python$version" >/dev/null 2>&1 || true
  done
  ready || {
    echo "This package needs one of Python ${versions[*]}, and the image has none of them." >&2
    echo "Choose a base image that has one, or export again: judge export gradescope --python VERSION" >&2
    exit 1
  }
fi

# The submission runs as another user, and must read NumPy but not what it is judged by.
chmod -R go+rX packages
chmod -R go-rwx bundle
