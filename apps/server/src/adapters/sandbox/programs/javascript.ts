import { JAVASCRIPT_FILES } from './files.ts';

/** Reads one job from standard input, as JSON in one line. Real standard output carries the answer alone. */
const BEGIN = String.raw`
'use strict';
const fs = require('node:fs');
Object.defineProperty(process, 'stdout', { value: process.stderr });
const job = (() => {
  const chunks = [];
  const chunk = Buffer.alloc(65536);
  for (;;) {
    const count = fs.readSync(0, chunk, 0, chunk.length, null);
    const end = chunk.subarray(0, count).indexOf(10);
    chunks.push(Buffer.from(chunk.subarray(0, end < 0 ? count : end)));
    if (end >= 0 || count === 0) return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  }
})();
let answered = false;
function answer(value, lines = []) {
  if (answered) return;
  answered = true;
  let data = Buffer.from([job.marker + JSON.stringify(value), ...lines].join('\n'));
  while (data.length > 0) {
    try {
      data = data.subarray(fs.writeSync(1, data));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
  process.exit(0);
}
`;

const RUN = String.raw`
const Module = require('node:module');
const FILE = '/packages/main.js';
function failed(error) {
  const text = error instanceof Error ? String(error.stack) : String(error);
  const own = text.split('\n').filter((line) => !/\(?(node:|\[eval\])/.test(line));
  process.stderr.write(own.join('\n').replaceAll('/packages/main.js', 'main.js') + '\n');
  const [, line] = /\/packages\/main\.js:(\d+)/.exec(text) ?? [];
  const name = error instanceof Error ? error.name + (error.message ? ': ' + error.message : '') : String(error);
  answer({ problem: 'error', message: name, line: line === undefined ? null : Math.min(Number(line), job.source.split('\n').length) });
}
function withoutTypes(source) {
  if (!Module.stripTypeScriptTypes) answer({ problem: 'no_typescript', version: process.version.slice(1) });
  const { emitWarning } = process;
  // That taking out types is new in this version of Node is not for the log of the code.
  process.emitWarning = () => undefined;
  try {
    return Module.stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
// The code reads them as variables of the environment or as names that are always there.
function makeFolders() {
  globalThis._INPUT_DIR = process.env._INPUT_DIR = '/tmp/input';
  globalThis._OUTPUT_DIR = process.env._OUTPUT_DIR = '/tmp/output';
  fs.mkdirSync(_OUTPUT_DIR);
  placeFiles(_INPUT_DIR);
}
async function serve() {
  if (job.has_packages) {
    try {
      job.install = JSON.parse(fs.readFileSync('/packages/complete.json', 'utf8'));
    } catch {
      answer({ problem: 'no_packages' });
    }
  }
  if (job.has_network && job.authorities) {
    const tls = require('node:tls');
    tls.setDefaultCACertificates?.([...tls.getCACertificates('default'), job.authorities]);
  }
  if (job.files) makeFolders();
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);
  process.on('exit', () => answer({ problem: 'error', message: 'The code ended before ' + job.entry + ' returned', line: null }));
  let result;
  try {
    const code = new Module(FILE);
    code.filename = FILE;
    code.paths = ['/packages/node_modules'];
    const source = job.is_typescript ? withoutTypes(job.source) : job.source;
    code._compile(source + '\n;if (typeof ' + job.entry + ' === "function") module.entry = ' + job.entry + ';', FILE);
    const entry = code.entry ?? code.exports[job.entry] ?? code.exports;
    if (typeof entry !== 'function') answer({ problem: 'no_entry' });
    result = await entry(job.values);
  } catch (error) {
    failed(error);
  }
  let text;
  try {
    text = JSON.stringify(result === undefined ? null : result);
  } catch (error) {
    answer({ problem: 'not_json', message: String(error.message).split('\n')[0] });
  }
  if (text === undefined) answer({ problem: 'not_json', message: 'a ' + typeof result });
  const done = { result: JSON.parse(text), install: job.install };
  if (!job.files) answer(done);
  try {
    const files = filesIn('/tmp/output');
    const contents = readContents(files);
    answer({ ...done, files: files.map(({ name }) => name) }, contents);
  } catch (error) {
    failed(error);
  }
}
serve();
`;

const INSTALL = String.raw`
const path = require('node:path');
const { spawn } = require('node:child_process');
const HOME = '/tmp';
// The input closes when the service dies; another process may then install the same packages.
process.stdin.on('end', () => process.exit(1)).resume();
function measureSize(folder) {
  let size = 0;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const at = path.join(folder, entry.name);
    try {
      size += entry.isDirectory() ? measureSize(at) : fs.lstatSync(at).size;
    } catch {
      // Removed meanwhile.
    }
  }
  return size;
}
if (fs.existsSync(HOME + '/complete.json')) answer(JSON.parse(fs.readFileSync(HOME + '/complete.json', 'utf8')));
for (const name of fs.readdirSync(HOME)) fs.rmSync(path.join(HOME, name), { recursive: true, force: true });
fs.mkdirSync(HOME + '/work');
const env = { ...process.env, HOME: HOME + '/work', TMPDIR: HOME + '/work', npm_config_cache: HOME + '/work/cache' };
if (job.authorities) {
  fs.writeFileSync(HOME + '/work/authorities.pem', job.authorities);
  env.NODE_EXTRA_CA_CERTS = HOME + '/work/authorities.pem';
}
// Nothing of a package is run while it is installed.
const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--prefix', HOME];
const log = fs.openSync(HOME + '/work/log', 'w+');
const child = spawn('npm', ['install', ...options, ...job.requirements], { env, stdio: ['ignore', log, log] });
let too_large = false;
const watch = setInterval(() => {
  if (measureSize(HOME) <= job.max_size) return;
  too_large = true;
  child.kill('SIGKILL');
}, 100);
child.on('error', (error) => end(false, String(error.message)));
child.on('exit', (code) => end(code === 0 && !too_large, fs.readFileSync(HOME + '/work/log', 'utf8').slice(-20000)));
function end(ok, text) {
  clearInterval(watch);
  const done = { ok, tool: 'npm', log: text, too_large };
  fs.rmSync(HOME + '/work', { recursive: true, force: true });
  if (ok) {
    fs.writeFileSync(HOME + '/incomplete.json', JSON.stringify(done));
    fs.renameSync(HOME + '/incomplete.json', HOME + '/complete.json');
  }
  answer(done);
}
`;

export const JAVASCRIPT = { run: BEGIN + JAVASCRIPT_FILES + RUN, install: BEGIN + INSTALL } as const;
