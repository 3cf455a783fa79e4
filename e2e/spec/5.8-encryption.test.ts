import { spawn } from 'node:child_process';
import { createDecipheriv, createHash, createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createTestApp,
  serverArguments,
  type TestApp,
  type TestUser,
  testConfig,
} from '@millrace/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ENCRYPTION_KEY = 'the-setting-of-this-test';

/** Opens a Fernet token with nothing but its published format: version, time, vector, text, HMAC-SHA256. */
function openFernet(token: string, setting: string): string {
  const material = createHash('sha256').update(setting).digest();
  const bytes = Buffer.from(token, 'base64url');
  const [signed, mac] = [bytes.subarray(0, -32), bytes.subarray(-32)];
  expect(createHmac('sha256', material.subarray(0, 16)).update(signed).digest()).toEqual(mac);
  expect(signed[0]).toBe(0x80);
  const decipher = createDecipheriv('aes-128-cbc', material.subarray(16), signed.subarray(9, 25));
  return Buffer.concat([decipher.update(signed.subarray(25)), decipher.final()]).toString();
}

describe('§5.8 encryption of credentials', () => {
  let app: TestApp;
  let owner: TestUser;
  beforeAll(async () => {
    app = await createTestApp({ encryption_keys: [ENCRYPTION_KEY] });
    owner = await app.user();
  });
  afterAll(() => app.close());

  it('§5.8, §2.7: values are stored as Fernet tokens of the key that derives from ENCRYPTION_KEY', async () => {
    const config = { bearer_token: 'canary-of-the-encryption' };
    await owner.call('POST', '/api/credentials', { name: 'sealed', type: 'bearer', config });
    const { rows } = await app.services.database.sql.query<{ row: string }>({
      text: 'SELECT c::text AS row FROM credentials c',
    });
    const stored = rows.map(({ row }) => row).join();
    expect(stored).not.toContain('canary');
    const [token = ''] = /gAAAA[\w-]+=*/.exec(stored) ?? [];
    expect(openFernet(token, ENCRYPTION_KEY)).toContain('canary-of-the-encryption');
  });
});

describe('§5.8 ENCRYPTION_KEY', () => {
  it.each([
    '',
    '   ',
    'changeme',
    'CHANGE_ME',
    'change-this-in-production',
    'change_this_to_a_random_32_byte_hex_value',
    'replace-me',
    'replace-with-a-random-value',
    'your-encryption-key',
    'your-encryption-key-here',
    '<your secret key>',
    'placeholder',
    'secret',
  ])('§5.8: "%s" refuses to start', (ENCRYPTION_KEY) => {
    expect(() => testConfig({ ENCRYPTION_KEY })).toThrow(
      /^ENCRYPTION_KEY: is (set but empty|a known placeholder)/,
    );
  });

  it.each(['0f1e2d3c4b5a69788796a5b4c3d2e1f0', 'correct horse battery staple', 'test-encryption-key'])(
    '§5.8: "%s" is a key',
    (ENCRYPTION_KEY) => {
      expect(testConfig({ ENCRYPTION_KEY }).ENCRYPTION_KEY).toBe(ENCRYPTION_KEY);
    },
  );

  it('§5.8: the program says so in plain words and ends with 1', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-refused-'));
    const child = spawn(process.execPath, serverArguments(), {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { PATH: process.env['PATH'] ?? '', PORT: '0', DATA_DIR: folder, ENCRYPTION_KEY: 'changeme' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (text: Buffer) => {
      said += text.toString();
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    rmSync(folder, { recursive: true, force: true });
    expect(code).toBe(1);
    expect(said).toContain('Millrace cannot start');
    expect(said).toContain('ENCRYPTION_KEY: is a known placeholder');
  });
});
