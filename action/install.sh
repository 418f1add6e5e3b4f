#!/bin/sh
# Puts the program of a release into a folder: sh install.sh [--version X.Y.Z] [--to DIR] [--sums FILE]
#
# In: nothing, for the newest release and ~/.local/bin. Out: one file, `podsieve`, whose archive has the checksum that SHA256SUMS of the release gives, or the
# file of --sums instead; or one line that says why not, and nothing else anywhere. No root, no change to a profile. PODSIEVE_FROM is a folder, or an address, to take both from.
set -eu

fail() {
  echo "error: $1" >&2
  exit 1
}

sources=https://example.com/podsieve
version=
to=${HOME:-.}/.local/bin
sums=
while [ $# -gt 0 ]; do
  case $1 in
    --version) version=${2:?"--version needs one, such as 0.2.0"}; shift 2 ;;
    --to) to=${2:?"--to needs a folder"}; shift 2 ;;
    --sums) sums=${2:?"--sums needs a file"}; shift 2 ;;
    *) fail "there is no option $1: sh install.sh [--version X.Y.Z] [--to DIR] [--sums FILE]" ;;
  esac
done

case $(uname -s) in
  Linux) system=unknown-linux-musl ;;
  Darwin) system=apple-darwin ;;
  *) fail "there is no program for $(uname -s) here: npx podsieve runs wherever Node does" ;;
esac
case $(uname -m) in
  x86_64 | amd64) processor=x86_64 ;;
  aarch64 | arm64) processor=aarch64 ;;
  *) fail "there is no program for $(uname -m): npx podsieve runs wherever Node does" ;;
esac
name=podsieve-$processor-$system

if [ -n "${PODSIEVE_FROM:-}" ]; then
  from=$PODSIEVE_FROM
elif [ -n "$version" ]; then
  from=$sources/releases/download/v$version
else
  from=$sources/releases/latest/download
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

get() {
  if [ -d "$from" ]; then
    cp "$from/$1" "$work/$1" || fail "$from has no $1"
  elif command -v curl > /dev/null; then
    curl --fail --silent --show-error --location --proto '=https' --output "$work/$1" "$from/$1" || fail "$from/$1 cannot be fetched"
  elif command -v wget > /dev/null; then
    wget --quiet --https-only --output-document="$work/$1" "$from/$1" || fail "$from/$1 cannot be fetched"
  else
    fail "neither curl nor wget is installed"
  fi
}

if [ -n "$sums" ]; then
  cp "$sums" "$work/SHA256SUMS" || fail "$sums cannot be read"
else
  get SHA256SUMS
fi
get "$name.tar.gz"
wanted=$(sed -n "s/  $name\.tar\.gz\$//p" "$work/SHA256SUMS")
[ -n "$wanted" ] || fail "SHA256SUMS of this release does not name $name.tar.gz"
if command -v sha256sum > /dev/null; then
  found=$(sha256sum < "$work/$name.tar.gz")
else
  found=$(shasum -a 256 < "$work/$name.tar.gz")
fi
[ "$wanted" = "${found%% *}" ] || fail "$name.tar.gz has the checksum ${found%% *}, and SHA256SUMS says $wanted: nothing is installed"

tar -xzf "$work/$name.tar.gz" -C "$work"
mkdir -p "$to"
# Within one folder a file takes the place of another at once.
cp "$work/$name/podsieve" "$to/.podsieve.new"
chmod 755 "$to/.podsieve.new"
mv "$to/.podsieve.new" "$to/podsieve"
echo "$to/podsieve: $("$to/podsieve" version | sed -n 's/^podsieve //p')"
case ":$PATH:" in
  *":$to:"*) ;;
  *) echo "note: $to is not on the PATH" ;;
esac
