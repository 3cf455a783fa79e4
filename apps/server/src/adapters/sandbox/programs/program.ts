import { AUTHORITIES } from './python.ts';

/**
 * Both read the first line of standard input, as JSON, byte by byte: what follows belongs to the program. Their first line of
 * standard output is the marker and an answer; after `{}` everything is the program's own.
 */
const PYTHON = String.raw`
import json, os, shutil, sys

def first_line():
    data = bytearray()
    while not data.endswith(b"\n"):
        piece = os.read(0, 1)
        if not piece:
            os._exit(1)
        data += piece
    return json.loads(data)

job = first_line()

def tell(value):
    data = memoryview((job["marker"] + json.dumps(value) + "\n").encode("utf-8", "surrogatepass"))
    while data:
        data = data[os.write(1, data):]
    if value:
        os._exit(0)
${AUTHORITIES}
BIN = "/packages/site/bin"
if job["has_packages"] and not os.path.exists("/packages/complete.json"):
    tell({"problem": "no_packages"})
if job["has_network"]:
    use_authorities("/tmp")
env = dict(os.environ)
if job["has_packages"]:
    env["PYTHONPATH"] = "/packages/site"
    env["PATH"] = BIN + ":" + env.get("PATH", os.defpath)
env.update(job["variables"])
found = shutil.which(job["command"], path=env.get("PATH"))
if found is None:
    tell({"problem": "no_command", "has": sorted(os.listdir(BIN)) if os.path.isdir(BIN) else []})
tell({})
try:
    os.execve(found, [job["command"], *job["args"]], env)
except OSError as error:
    os.write(2, (job["command"] + ": " + str(error.strerror) + "\n").encode("utf-8", "replace"))
    os._exit(126)
`;

/** Node cannot replace itself by another program, so it stays as its parent. */
const JAVASCRIPT = String.raw`
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { spawn } = require('node:child_process');
const BIN = '/packages/node_modules/.bin';
const bytes = [];
for (const byte = Buffer.alloc(1); ; bytes.push(byte[0])) {
  if (fs.readSync(0, byte, 0, 1, null) === 0) process.exit(1);
  if (byte[0] === 10) break;
}
const job = JSON.parse(Buffer.from(bytes).toString('utf8'));
function tell(value) {
  fs.writeSync(1, job.marker + JSON.stringify(value) + '\n');
  if (value.problem) process.exit(0);
}
function commands() {
  try {
    return fs.readdirSync(BIN).sort();
  } catch {
    return [];
  }
}
function findMain(name) {
  try {
    const { bin } = JSON.parse(fs.readFileSync('/packages/node_modules/' + name + '/package.json', 'utf8'));
    const own = name.split('/').at(-1);
    if (typeof bin === 'string' || bin[own]) return BIN + '/' + own;
    const names = Object.keys(bin);
    return names.length === 1 ? BIN + '/' + names[0] : undefined;
  } catch {
    return undefined;
  }
}
function isProgram(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
if (job.has_packages && !fs.existsSync('/packages/complete.json')) tell({ problem: 'no_packages' });
const env = { ...process.env };
if (job.has_packages) Object.assign(env, { NODE_PATH: '/packages/node_modules', PATH: BIN + ':' + env.PATH });
if (job.has_network && job.authorities) {
  fs.writeFileSync('/tmp/authorities.pem', job.authorities);
  env.NODE_EXTRA_CA_CERTS = env.SSL_CERT_FILE = '/tmp/authorities.pem';
}
Object.assign(env, job.variables);
const command = job.main_of === undefined ? job.command : findMain(job.main_of);
const places = command === undefined ? [] : command.includes('/') ? [command] : env.PATH.split(':').map((folder) => path.join(folder, command));
const found = places.find(isProgram);
if (found === undefined) tell({ problem: 'no_command', has: commands() });
tell({});
const child = spawn(found, job.args, { env, stdio: 'inherit' });
child.on('error', (error) => {
  fs.writeSync(2, command + ': ' + error.message + '\n');
  process.exit(126);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + (require('node:os').constants.signals[signal] ?? 0)));
`;

export const PROGRAM = { python: PYTHON, javascript: JAVASCRIPT } as const;
