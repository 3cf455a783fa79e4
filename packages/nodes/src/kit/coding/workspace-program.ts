import { SAY } from '../text/message-lines.ts';

/**
 * The program that runs in the container of a coding agent, as the text that Node is started with. It reads a job as a
 * line of JSON, unpacks the repository, lets the agent work in it, and compares the files with what they were. Every
 * line of its standard output is a message (`Said` in `workspace.ts`). It knows no token of the code host.
 */
export const WORKSPACE_PROGRAM = String.raw`
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { createHash } = require('node:crypto');
const input = require('node:readline').createInterface({ input: process.stdin });
let secrets = [];
const removeSecrets = () => secrets.forEach((file) => fs.rmSync(file, { recursive: true, force: true }));
// The service that started it is gone. Another container may work in the same folder soon.
input.on('close', () => {
  removeSecrets();
  process.exit(1);
});
const lines = input[Symbol.asyncIterator]();
${SAY}
const END_SHOWN = 3000;

async function nextLine() {
  const { value, done } = await lines.next();
  if (done) process.exit(1);
  return JSON.parse(value);
}

async function unpack(job, base) {
  say({ type: 'needs_archive' });
  const { archive } = await nextLine();
  const file = path.join(job.folder, 'archive.tgz');
  fs.writeFileSync(file, Buffer.from(archive, 'base64'));
  const whole = fs.mkdtempSync(path.join(job.folder, 'unpacking-'));
  await require('tar').x({ file, cwd: whole, strip: 1 });
  fs.rmSync(file);
  // Last, so that a base that exists is whole.
  fs.renameSync(whole, base);
}

function start(command, args, { cwd, env, input, onLine, stopped }) {
  return new Promise((resolve) => {
    let child;
    try {
      child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    } catch (error) {
      // Such as arguments that are too long for the system.
      return resolve({ exit_code: 127, end: error.message });
    }
    // With the programs that it has started.
    stopped?.then(() => child.pid && process.kill(-child.pid, 'SIGKILL')).catch(() => {});
    let end = '';
    const keep = (data) => (end = (end + data).slice(-END_SHOWN));
    child.stderr.on('data', keep);
    if (onLine) require('node:readline').createInterface({ input: child.stdout }).on('line', onLine);
    else child.stdout.on('data', keep);
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('error', (error) => resolve({ exit_code: 127, end: error.message }));
    child.on('close', (code, signal) => resolve({ exit_code: code ?? 128, end: signal ? end + '\nended by ' + signal : end }));
  });
}

function readMode(stat) {
  if (stat.isSymbolicLink()) return '120000';
  if (!stat.isFile()) return undefined;
  return stat.mode & 0o100 ? '100755' : '100644';
}

function readState(root, name) {
  let stat;
  try {
    stat = fs.lstatSync(path.join(root, name));
  } catch {
    return undefined;
  }
  const mode = readMode(stat);
  if (mode === undefined) return undefined;
  const file = path.join(root, name);
  return { mode, bytes: mode === '120000' ? Buffer.from(fs.readlinkSync(file)) : fs.readFileSync(file) };
}

function* namesIn(root, isIgnored, folder = '') {
  for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const name = folder + entry.name;
    if (entry.name.toLowerCase() === '.git' || isIgnored(root, entry.isDirectory() ? name + '/' : name)) continue;
    if (entry.isDirectory()) yield* namesIn(root, isIgnored, name + '/');
    else yield name;
  }
}

/** As git reads .gitignore files: each counts for its own folder. */
function gitIgnore() {
  const rules = new Map();
  const readRules = (root, folder) => {
    if (!rules.has(folder)) {
      let found;
      try {
        found = require('ignore')().add(fs.readFileSync(path.join(root, folder, '.gitignore'), 'utf8'));
      } catch {}
      rules.set(folder, found);
    }
    return rules.get(folder);
  };
  return (root, name) => {
    const parts = name.split('/').filter((part) => part !== '');
    for (let depth = 0; depth < parts.length; depth++) {
      const folder = parts.slice(0, depth).join('/');
      const inside = parts.slice(depth).join('/') + (name.endsWith('/') ? '/' : '');
      if (readRules(root, folder)?.ignores(inside)) return true;
    }
    return false;
  };
}

function toText(bytes) {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function buildPatch(name, before, after) {
  const head = ['diff --git a/' + name + ' b/' + name];
  if (!before) head.push('new file mode ' + after.mode);
  else if (!after) head.push('deleted file mode ' + before.mode);
  else if (before.mode !== after.mode) head.push('old mode ' + before.mode, 'new mode ' + after.mode);
  const [from, to] = [before, after].map((state) => (state ? state.bytes : Buffer.alloc(0)));
  if (from.equals(to)) return head.join('\n') + '\n';
  const [old, fresh] = [from, to].map(toText);
  const names = [before ? 'a/' + name : '/dev/null', after ? 'b/' + name : '/dev/null'];
  if (old !== undefined && fresh !== undefined) return head.join('\n') + '\n' + buildHunks(names, old, fresh);
  head.push('index ' + blobId(before) + '..' + blobId(after), 'GIT binary patch');
  // Without the way back, which git does without and which would have the size of a file that is gone.
  return head.join('\n') + '\n' + binaryHunk(to);
}

/** The name that git has for the content of a file. */
function blobId(state) {
  if (!state) return '0'.repeat(40);
  return createHash('sha1').update('blob ' + state.bytes.length + '\0').update(state.bytes).digest('hex');
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LENGTHS = LETTERS + LETTERS.toLowerCase();
const BASE_85 = '0123456789' + LENGTHS + '!#$%&()*+-;<=>?@^_' + String.fromCharCode(96) + '{|}~';

/** As git writes the content of files that are no text: deflated, in lines of 52 bytes that begin with a letter for their length. */
function binaryHunk(bytes) {
  const packed = require('node:zlib').deflateSync(bytes);
  const lines = ['literal ' + bytes.length];
  for (let start = 0; start < packed.length; start += 52) {
    const part = packed.subarray(start, start + 52);
    let line = LENGTHS[part.length - 1];
    for (let at = 0; at < part.length; at += 4) {
      let value = 0;
      for (let next = at; next < at + 4; next++) value = value * 256 + (part[next] ?? 0);
      let word = '';
      for (let digit = 0; digit < 5; digit++, value = Math.floor(value / 85)) word = BASE_85[value % 85] + word;
      line += word;
    }
    lines.push(line);
  }
  return lines.join('\n') + '\n\n';
}

/** A name with a space ends with a tab, so that programs which apply the patch find its end. */
const ended = (name) => (name.includes(' ') ? name + '\t' : name);

function buildHunks([from, to], old, fresh) {
  const names = '--- ' + ended(from) + '\n+++ ' + ended(to) + '\n';
  const { structuredPatch, formatPatch } = require('diff');
  // Files that have little in common would take minutes to compare.
  const patch = structuredPatch('a', 'b', old, fresh, '', '', { context: 3, maxEditLength: 5000 });
  if (!patch) return names + wholeHunk(old, fresh);
  const lines = formatPatch(patch).split('\n');
  return names + lines.slice(lines.findIndex((line) => line.startsWith('@@'))).join('\n');
}

function wholeHunk(old, fresh) {
  const sides = [['-', old], ['+', fresh]].map(([sign, text]) => {
    const lines = text.split('\n');
    const isEnded = lines.at(-1) === '';
    if (isEnded) lines.pop();
    const body = lines.map((line) => sign + line + '\n').join('');
    return { count: lines.length, body: isEnded || text === '' ? body : body + '\\ No newline at end of file\n' };
  });
  const [before, after] = sides.map(({ count }) => (count === 0 ? '0,0' : '1,' + count));
  return '@@ -' + before + ' +' + after + ' @@\n' + sides.map(({ body }) => body).join('');
}

function changesIn(job, base, work) {
  const names = new Set(namesIn(base, () => false));
  for (const name of namesIn(work, gitIgnore())) names.add(name);
  const files = [];
  let diff = '';
  let size = 0;
  for (const name of [...names].sort()) {
    const [before, after] = [readState(base, name), readState(work, name)];
    if (!before && !after) continue;
    if (before && after && before.mode === after.mode && before.bytes.equals(after.bytes)) continue;
    size += after ? after.bytes.length : 0;
    if (files.length === job.max_files || size > job.max_size) return { problem: 'changes' };
    files.push({
      path: name,
      mode: after ? after.mode : null,
      ...(after && job.keeps_contents ? { content: after.bytes.toString('base64') } : {}),
    });
    // A file that becomes a link, or the other way round, is deleted and made.
    const isReplaced = before && after && before.mode.slice(0, 3) !== after.mode.slice(0, 3);
    diff += isReplaced ? buildPatch(name, before) + buildPatch(name, undefined, after) : buildPatch(name, before, after);
    if (diff.length > job.max_size) return { problem: 'changes' };
  }
  return { files, diff };
}

/** The newest line of that type among the session files in a folder; a continued session is appended to its file. */
function findLast(folder, type) {
  try {
    const names = fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.jsonl'));
    const changed = (name) => fs.statSync(path.join(folder, name)).mtimeMs;
    const [newest] = names.sort((one, other) => changed(other) - changed(one));
    const lines = fs.readFileSync(path.join(folder, newest), 'utf8').split('\n').reverse();
    return JSON.parse(lines.find((line) => line.includes('"type":"' + type + '"')));
  } catch {}
}

async function main() {
  const job = await nextLine();
  const [base, work, home] = ['base', 'work', 'home'].map((name) => path.join(job.folder, name));
  fs.mkdirSync(home, { recursive: true });
  const placeIn = (name) => path.join(job.folder, name);
  secrets = Object.keys(job.secret_files).map(placeIn);
  removeSecrets();
  const started = path.join(job.folder, 'started');
  const env = { ...process.env, ...job.variables, HOME: home, TMPDIR: home };
  const continues = job.continued !== undefined && fs.existsSync(base) && fs.existsSync(started);
  if (!continues) {
    for (const rest of [work, started]) fs.rmSync(rest, { recursive: true, force: true });
    if (!fs.existsSync(base)) await unpack(job, base);
    fs.cpSync(base, work, { recursive: true, verbatimSymlinks: true });
  }
  if (!continues && job.setup !== '') {
    say({ type: 'stage', stage: 'setup' });
    const { exit_code, end } = await start('sh', ['-c', job.setup], { cwd: work, env: { ...process.env, HOME: home } });
    if (exit_code !== 0) return say({ type: 'end', stage: 'setup', exit_code, end });
  }
  for (const [name, content] of Object.entries(job.files)) fs.writeFileSync(placeIn(name), content);
  for (const [name, content] of Object.entries(job.secret_files).filter(([, content]) => content !== null)) {
    fs.mkdirSync(path.dirname(placeIn(name)), { recursive: true });
    fs.writeFileSync(placeIn(name), content, { mode: 0o600 });
  }
  const { args, input } = continues ? job.continued : job.fresh;
  say({ type: 'stage', stage: 'agent' });
  const onLine = (line) => {
    try {
      if (line.startsWith('{')) say({ type: 'event', event: JSON.parse(line) });
    } catch {}
  };
  const command = job.commands.map((name) => path.resolve('/packages/node_modules', name)).find((name) => fs.existsSync(name)) ?? job.commands[0];
  const { exit_code, end } = await start(command, args, { cwd: work, env, input, onLine, stopped: nextLine() });
  removeSecrets();
  fs.writeFileSync(started, '');
  const fact = job.session && findLast(path.join(job.folder, job.session.folder), job.session.type);
  if (fact) say({ type: 'event', event: fact });
  say({ type: 'end', stage: 'agent', exit_code, end, ...changesIn(job, base, work) });
}
main().then(() => process.exit(0), (error) => {
  process.stderr.write(String(error && error.message) + '\n');
  process.exit(1);
});
`;
