#!/bin/sh
# Installs what runs the language model of the tests (85 MB) beside the packages of the project, without anything that compiles.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p .build/model-engine
cp e2e/model/engine/package.json e2e/model/engine/package-lock.json .npmrc .build/model-engine/
# Not `npm ci`: the lock knows no packages of other platforms, some of which the registry does not have.
npm install --prefix .build/model-engine --omit=optional --ignore-scripts --no-save --loglevel=error
