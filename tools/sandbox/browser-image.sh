#!/usr/bin/env bash
# tools/sandbox/browser-image.sh [NAME]: builds an image with the Chromium of this machine (Debian's), the libraries and fonts that
# it needs, and the Node that npm has, without an image registry. For tests and for machines without one. Uses the engine at
# DOCKER_HOST.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
NAME=${1:-millrace/browser:local}
BROWSER=/usr/lib/chromium
WORK=$PWD/.build/browser-image
ROOT=$WORK/root

[ -x "$BROWSER/chromium" ] || { echo "$BROWSER/chromium is missing; install Debian's package chromium" >&2; exit 1; }
rm -rf "$ROOT"
mkdir -p "$ROOT"/{usr/bin,usr/lib,usr/share,etc/ssl,proc,sys,dev,tmp,run,var/tmp}
ln -s usr/lib "$ROOT/lib"
ln -s usr/lib64 "$ROOT/lib64"
mkdir -p "$ROOT/usr/lib64"
ln -s usr/bin "$ROOT/bin"

NODE_PACKAGE=node-linux-$(node -p process.arch)
[ -x "$WORK/node/node_modules/$NODE_PACKAGE/bin/node" ] ||
  npm install --prefix "$WORK/node" --no-save --no-audit --no-fund --ignore-scripts --loglevel=error "$NODE_PACKAGE@24.21.0" >/dev/null
cp "$WORK/node/node_modules/$NODE_PACKAGE/bin/node" "$ROOT/usr/bin/node"

mkdir -p "$ROOT$BROWSER"
tar -C "$BROWSER" --exclude='locales/*' --exclude=chromedriver --exclude='*headless[_-]*' -c . | tar -C "$ROOT$BROWSER" -x
mkdir -p "$ROOT$BROWSER/locales"
cp "$BROWSER"/locales/en-US* "$ROOT$BROWSER/locales/"
# The command of the package is a script for a shell, which the image does not have.
ln -s "$BROWSER/chromium" "$ROOT/usr/bin/chromium"

# The libraries of both with those that NSS and the C library load by name.
LOADED=$(ls /usr/lib/*-linux-gnu/{libsoftokn3,libfreeblpriv3,libfreebl3,libnssckbi,libnssdbm3}.so \
  /usr/lib/*-linux-gnu/nss/*.so /usr/lib/*-linux-gnu/libnss_{files,dns}.so.2 \
  /lib/*-linux-gnu/libnss_{files,dns}.so.2 2>/dev/null || true)
# shellcheck disable=SC2086
{
  ldd "$BROWSER/chromium" "$ROOT/usr/bin/node" $LOADED | grep -oE '(=> )?/[^ ]+ \(' | sed -E 's/^=> //; s/ \($//'
  printf '%s\n' $LOADED
} | sort -u | while read -r library; do
  target=$ROOT${library/#\/lib/\/usr\/lib}
  target=${target/\/usr\/usr\//\/usr\/}
  mkdir -p "$(dirname "$target")"
  cp -L "$library" "$target"
done

cp -r /etc/fonts "$ROOT/etc/fonts"
cp -rL /usr/share/fontconfig "$ROOT/usr/share/fontconfig" 2>/dev/null || true
# Without a font, pages have no text that one could see.
FONTS=/usr/share/fonts/truetype
[ -d "$FONTS" ] || { echo "$FONTS is missing; install Debian's package fonts-dejavu-core" >&2; exit 1; }
mkdir -p "$ROOT/usr/share/fonts"
cp -rL "$FONTS" "$ROOT$FONTS"
printf '%s\n' 'root:x:0:0:root:/:/sbin/nologin' 'sandbox:x:65532:65532:sandbox:/tmp:/sbin/nologin' >"$ROOT/etc/passwd"
printf '%s\n' 'root:x:0:' 'sandbox:x:65532:' >"$ROOT/etc/group"
chmod 1777 "$ROOT/tmp" "$ROOT/var/tmp"
# The same files give the same layer; the version of Chromium is that of the machine.
tar -C "$ROOT" --owner=0 --group=0 --sort=name --mtime='2026-01-01 00:00Z' -c . |
  docker import --change 'ENV PATH=/usr/bin:/bin' --change 'WORKDIR /tmp' - "$NAME" >/dev/null
echo "$NAME"
