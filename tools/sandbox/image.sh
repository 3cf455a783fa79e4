#!/usr/bin/env bash
# tools/sandbox/image.sh [NAME]: builds one image with Python, Node and npm for the sandbox, from Debian packages and the Node
# that npm has (the major version of the product's own image), without an image registry. For tests and for machines without one. Uses the engine at DOCKER_HOST.
# Every version is pinned: those of Debian (bookworm) in packages.txt. Mirrors drop a version when they have a newer one; the newer one
# is taken then, with a warning. With SANDBOX_IMAGE_EXACT=true it is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
NAME=${1:-millrace/sandbox:local}
WORK=$PWD/.build/sandbox-image
ROOT=$WORK/root
PINNED=$PWD/tools/sandbox/packages.txt
NODE_VERSION=24.21.0
NPM_VERSION=11.19.1

download() {
  local package name
  if apt-get download -q $(cat "$PINNED") >/dev/null 2>&1; then return; fi
  apt-get update -qq
  while read -r package; do
    name=${package%%=*}
    if apt-get download -q "$package" >/dev/null 2>&1; then continue; fi
    if [ "${SANDBOX_IMAGE_EXACT:-false}" = true ]; then
      echo "the mirror does not have $package; change its version in tools/sandbox/packages.txt" >&2
      return 1
    fi
    echo "warning: the mirror does not have $package, so the image gets the version of $name that it has" >&2
    apt-get download -q "$name" >/dev/null
  done <"$PINNED"
}

rm -rf "$ROOT"
mkdir -p "$ROOT" "$WORK/debs"
if ! cmp -s "$PINNED" "$WORK/packages.txt"; then
  rm -f "$WORK"/debs/*.deb
  # apt downloads as its own user.
  chmod 777 "$WORK/debs"
  (cd "$WORK/debs" && download)
  cp "$PINNED" "$WORK/packages.txt"
fi
for package in "$WORK"/debs/*.deb; do dpkg-deb -x "$package" "$ROOT"; done

ln -sf /bin/busybox "$ROOT/bin/sh"
ln -sf /bin/busybox "$ROOT/usr/bin/env"
ln -sf python3.11 "$ROOT/usr/bin/python3"
NODE_PACKAGE=node-linux-$(node -p process.arch)
NODE_MODULES=$WORK/node-$NODE_VERSION-npm-$NPM_VERSION
[ -x "$NODE_MODULES/node_modules/$NODE_PACKAGE/bin/node" ] ||
  npm install --prefix "$NODE_MODULES" --no-save --no-audit --no-fund --ignore-scripts --loglevel=error \
    "$NODE_PACKAGE@$NODE_VERSION" "npm@$NPM_VERSION" >/dev/null
cp "$NODE_MODULES/node_modules/$NODE_PACKAGE/bin/node" "$ROOT/usr/bin/node"
mkdir -p "$ROOT/usr/lib/node_modules"
cp -r "$NODE_MODULES/node_modules/npm" "$ROOT/usr/lib/node_modules/npm"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$ROOT/usr/bin/npm"
# pip comes as a wheel, which Python imports as it is.
mkdir -p "$ROOT/usr/lib/python3/dist-packages"
(cd "$ROOT" && printf '/%s\n' usr/share/python-wheels/pip-*.whl >usr/lib/python3/dist-packages/pip.pth)
find "$ROOT/usr/share/ca-certificates" -name '*.crt' -exec cat {} + >"$ROOT/etc/ssl/certs/ca-certificates.crt"
printf '%s\n' 'root:x:0:0:root:/:/sbin/nologin' 'sandbox:x:65532:65532:sandbox:/tmp:/sbin/nologin' >"$ROOT/etc/passwd"
printf '%s\n' 'root:x:0:' 'sandbox:x:65532:' >"$ROOT/etc/group"
rm -rf "$ROOT"/usr/share/{doc,man,locale,lintian}
mkdir -p "$ROOT"/{proc,sys,dev,tmp,run}
chmod 1777 "$ROOT/tmp"
# The same files give the same layer.
tar -C "$ROOT" --owner=0 --group=0 --sort=name --mtime='2026-01-01 00:00Z' -c . |
  docker import --change 'ENV PATH=/usr/bin:/bin' --change 'WORKDIR /tmp' - "$NAME" >/dev/null
echo "$NAME"
