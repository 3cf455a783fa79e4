#!/usr/bin/env bash
# tools/sandbox/image.sh [NAME]: builds one image with Python, Node and npm for the sandbox, from Debian packages and the Node
# that npm has (the major version of the product's own image), without an image registry. For tests and for machines without one. Uses the engine at DOCKER_HOST.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
NAME=${1:-millrace/sandbox:local}
WORK=$PWD/.build/sandbox-image
ROOT=$WORK/root
PACKAGES="base-files libc6 libgcc-s1 libstdc++6 libcrypt1 zlib1g libexpat1 libssl3 libffi8 libbz2-1.0 liblzma5
  libsqlite3-0 libuuid1 libnsl2 libtirpc3 libgssapi-krb5-2 libkrb5-3 libk5crypto3 libcom-err2 libkrb5support0 libkeyutils1
  libreadline8 libncursesw6 libtinfo6 media-types tzdata netbase ca-certificates libpython3.11-minimal
  libpython3.11-stdlib python3.11-minimal python3.11 python3-distutils python3-pip-whl busybox-static"

mkdir -p "$WORK/debs"
rm -rf "$ROOT"
mkdir -p "$ROOT"
(
  cd "$WORK/debs"
  # apt downloads as its own user.
  chmod 777 .
  # shellcheck disable=SC2086
  ls ./*.deb >/dev/null 2>&1 || apt-get download -q $PACKAGES >/dev/null 2>&1 || {
    apt-get update -qq
    apt-get download -q $PACKAGES >/dev/null
  }
)
for package in "$WORK"/debs/*.deb; do dpkg-deb -x "$package" "$ROOT"; done

ln -sf /bin/busybox "$ROOT/bin/sh"
ln -sf /bin/busybox "$ROOT/usr/bin/env"
ln -sf python3.11 "$ROOT/usr/bin/python3"
NODE_PACKAGE=node-linux-$(node -p process.arch)
[ -x "$WORK/node/node_modules/$NODE_PACKAGE/bin/node" ] ||
  npm install --prefix "$WORK/node" --no-save --no-audit --no-fund --ignore-scripts --loglevel=error "$NODE_PACKAGE@24.21.0" >/dev/null
cp "$WORK/node/node_modules/$NODE_PACKAGE/bin/node" "$ROOT/usr/bin/node"
mkdir -p "$ROOT/usr/lib/node_modules"
cp -r "$(npm root -g)/npm" "$ROOT/usr/lib/node_modules/npm"
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
tar -C "$ROOT" --owner=0 --group=0 -c . |
  docker import --change 'ENV PATH=/usr/bin:/bin' --change 'WORKDIR /tmp' - "$NAME" >/dev/null
echo "$NAME"
