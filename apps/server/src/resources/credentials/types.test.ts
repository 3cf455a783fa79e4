import type { Credential } from '@millrace/contracts';
import { plainWords } from '@millrace/engine';
import { parseCredentialConfig } from '@millrace/engine/credential';
import { credentialTypes } from '@millrace/nodes/credentials';
import { describe, expect, it } from 'vitest';
import { useOwnTestApp } from '../../testing/index.ts';

const app = await useOwnTestApp();
const admin = await app.user('Admin');
const owner = await app.user('Owner');

let counter = 0;
async function create(type: string, config: Record<string, unknown>, user = owner): Promise<Credential> {
  const answer = await user.call('POST', '/api/credentials', { name: `c${++counter}`, type, config });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json();
}

const resolved = async (credential: Credential) =>
  (await app.services.run_secrets.credentialsByName(owner.id, [credential.name])).get(credential.name);

describe('§2.7 credentials', () => {
  it('§2.7: there is a type for every kind that the section names', () => {
    const types = credentialTypes.map((entry) => entry.type);
    const named =
      'openai google custom decision model_router codex opencode github bearer header telegram discord_trigger slack imap smtp redis qdrant pgvector google_sheets google_drive bigquery s3 rabbitmq'.split(
        ' ',
      );
    expect(named.filter((type) => !types.includes(type))).toEqual([]);
    expect(new Set(types).size).toBe(types.length);
  });

  it.each(credentialTypes.map((entry) => [entry.type, entry] as const))(
    '§2.7: type %s refuses fields that it does not have',
    (_, type) => {
      const { problems } = parseCredentialConfig(type, { no_such_field: 'x' }, plainWords);
      expect(problems?.map((problem) => problem.path.join('.'))).toContain('no_such_field');
    },
  );

  it('§2.7: a decision model has a base URL plus an optional key', async () => {
    await create('decision', { base_url: 'https://decide.example' });
    await create('decision', { base_url: 'https://decide.example', api_key: 'k' });
  });

  it.each([
    ['Bearer: the token string', 'bearer', { bearer_token: 'tok-123456' }, 'tok-123456'],
    [
      'Header: the full line',
      'header',
      { header_key: 'X-Api-Key', header_value: 'val-123456' },
      'X-Api-Key: val-123456',
    ],
    ['Code-hosting: personal access token', 'github', { api_key: 'ghp_123456' }, 'ghp_123456'],
    ['Note-taking: internal api_token', 'notion', { api_token: 'ntn_123456' }, 'ntn_123456'],
    [
      'Note-taking: OAuth access_token',
      'notion',
      { auth_mode: 'oauth', client_id: 'c', client_secret: 's', access_token: 'at_123456' },
      'at_123456',
    ],
    ['Error-tracking: auth token', 'sentry', { api_token: 'sntrys_123456' }, 'sntrys_123456'],
    [
      'Discord-like: webhook URL',
      'discord',
      { webhook_url: 'https://d.example/w/1' },
      'https://d.example/w/1',
    ],
    [
      'workspace chat: webhook URL',
      'slack',
      { webhook_url: 'https://s.example/w/1' },
      'https://s.example/w/1',
    ],
  ])('§2.7: $credentials of %s', async (_, type, config, value) => {
    const credential = await resolved(await create(type, config));
    expect(credential?.expression_value).toBe(value);
    expect(credential?.secrets).toContain(value);
  });

  it.each(['google_sheets', 'google_drive', 'bigquery'])(
    '§2.7: %s is not in the table, so $credentials gives no token of it',
    async (type) => {
      const config = { client_id: 'c', client_secret: 'sec-123456', access_token: 'at-123456' };
      const credential = await resolved(await create(type, config));
      expect(credential?.expression_value).toBe('');
      expect(credential?.secrets).toEqual(expect.arrayContaining(['sec-123456', 'at-123456']));
    },
  );

  it.each([
    ['coding-runner', 'codex', { access_token: 'tok-123456' }],
    ['coding-runner', 'opencode', { api_key: 'key-123456' }],
    [
      'issue-tracker',
      'jira',
      { api_token: 'tok-123456', base_url: 'https://j.example', email: 'a@b.example' },
    ],
    ['issue-tracker', 'linear', { api_key: 'lin-123456' }],
  ])('§2.7: %s credentials (%s) are excluded from $credentials', async (_, type, config) => {
    const created = await create(type, config);
    expect((await resolved(created))?.expression_value).toBeUndefined();
    const available = (await owner.call('GET', '/api/credentials/available')).json<{ name: string }[]>();
    expect(available.map((item) => item.name)).not.toContain(created.name);
  });

  it('§2.7: credentials of no other types are excluded from $credentials', async () => {
    const excluded = credentialTypes.filter(({ expression }) => expression({}) === undefined);
    expect(excluded.map(({ type }) => type).toSorted()).toEqual(['codex', 'jira', 'linear', 'opencode']);
    const key = { api_key: 'brave-123456' };
    const created = await create('brave_search', key);
    expect((await resolved(created))?.expression_value).toBe(key.api_key);
    const available = (await owner.call('GET', '/api/credentials/available')).json();
    expect(available).toContainEqual({ name: created.name, type: 'brave_search' });
  });

  it('§2.7: object storage shows no more of its access key than the masked value, and runs mask it', async () => {
    const config = { aws_access_key_id: 'access-12345', aws_secret_access_key: 'sec-123456' };
    const created = await create('s3', config);
    expect(created.masked_value).toContain('access-**');
    const shown = await owner.call('GET', `/api/credentials/${created.id}`);
    expect(shown.statusCode).toBe(200);
    expect(shown.body).not.toContain(config.aws_access_key_id);
    expect((await resolved(created))?.secrets).toEqual(expect.arrayContaining(Object.values(config)));
  });

  it('§2.7: the issue-tracker node loads its credential by id', async () => {
    const { id } = await create('linear', { api_key: 'lin-123456' });
    const credential = await app.services.run_secrets.credentialById(owner.id, id);
    expect(credential?.config).toEqual({ api_key: 'lin-123456' });
  });

  it('a resolved credential shows no secret where something logs or stores it by mistake', async () => {
    const credential = await resolved(await create('openai', { api_key: 'canary-0123456789' }));
    expect(credential?.config['api_key']).toBe('canary-0123456789');
    expect(JSON.stringify(credential)).not.toContain('canary');
    expect(JSON.stringify({ ...credential })).not.toContain('canary');
  });

  it('a password inside an address is a secret too', async () => {
    const credential = await resolved(
      await create('rabbitmq', { rabbitmq_url: 'amqp://u:pass-123456@mq/v' }),
    );
    expect(credential?.secrets).toContain('pass-123456');
  });
});

describe('keys of credentials', () => {
  it('credentials that no key opens are named at start, shown as unreadable, and left alone by rotation', async () => {
    const { id, name } = await create('openai', { api_key: 'sk-123456789' });
    const { sql } = app.services.database;
    await sql.query({
      text: "UPDATE credentials SET key_id = 'gone', encrypted_config = 'gAAAAAgone' WHERE id = $1",
      values: [id],
    });
    const shown = await owner.call('GET', `/api/credentials/${id}`);
    expect(shown.json()).toMatchObject({ readable: false, masked_value: null });
    expect((await owner.call('GET', '/api/credentials')).statusCode).toBe(200);
    const rotation = await admin.call('POST', '/api/credentials/rotate-keys');
    expect(rotation.json()).toMatchObject({ unreadable: [{ id, name, owner_id: owner.id }] });
    const repaired = await owner.call('PUT', `/api/credentials/${id}`, {
      config: { api_key: 'sk-new-987654' },
    });
    expect(repaired.json()).toMatchObject({ readable: true, masked_value: 'sk-new-**' });
  });
});
