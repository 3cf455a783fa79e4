import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../config.ts';
import { DamagedSecret, loadSecrets } from './secrets-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const config = () => readConfig({ DATA_DIR: folder });
const toPath = (name: string) => join(folder, 'secrets', name);

test('the first start makes two keys that only their owner may read, the next start finds them', () => {
  const first = loadSecrets(config());
  expect(first.secret_key).toMatch(/^[0-9a-f]{64}$/);
  expect(loadSecrets(config())).toEqual(first);
  expect(readdirSync(join(folder, 'secrets')).sort()).toEqual(['encryption-key', 'secret-key']);
  expect(statSync(toPath('encryption-key')).mode & 0o777).toBe(0o600);
});

test.each([
  ['is empty', ''],
  ['has only a line end', '\n'],
  ['was cut short', 'a1b2c3'],
  ['was cut short by one character', `${'a'.repeat(63)}\n`],
  ['is filled with zeros by a power cut', '\0'.repeat(65)],
])('§5.8: a kept key that %s refuses to start and stays as it is', (_, text) => {
  mkdirSync(join(folder, 'secrets'));
  writeFileSync(toPath('encryption-key'), text);
  expect(() => loadSecrets(config())).toThrow(DamagedSecret);
  expect(() => loadSecrets(config())).toThrow(/encryption-key is empty or incomplete.*ENCRYPTION_KEY/);
  expect(readFileSync(toPath('encryption-key'), 'utf8')).toBe(text);
});

test('a key that an operator put there is used', () => {
  mkdirSync(join(folder, 'secrets'));
  writeFileSync(toPath('encryption-key'), 'correct-horse-battery-staple-correct-horse\n');
  expect(loadSecrets(config()).encryption_keys).toEqual(['correct-horse-battery-staple-correct-horse']);
});

test('what a process left that died while it made a key does not stop the next start', () => {
  mkdirSync(join(folder, 'secrets'));
  writeFileSync(toPath('encryption-key.12345.abcd'), 'half');
  expect(loadSecrets(config()).encryption_keys[0]).toMatch(/^[0-9a-f]{64}$/);
});
