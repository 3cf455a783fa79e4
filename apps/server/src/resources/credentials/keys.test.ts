import { expect, test } from 'vitest';
import { createKeyring } from '../../core/secrets/fernet.ts';
import { createWorkflow, graph, type TestApp, useTestApp } from '../../testing/index.ts';
import { checkCredentialKeys, rotateCredentialKeys } from './keys.ts';

const app = await useTestApp();
const owner = await app.user();

const createSecrets = (...encryption_keys: string[]) => ({ secret_key: 'x', encryption_keys });
const OLD = 'test-encryption-key';

let counter = 0;
async function create(): Promise<{ id: string; name: string }> {
  const body = { name: `key ${++counter}`, type: 'openai', config: { api_key: 'sk-0123456789' } };
  return (await owner.call('POST', '/api/credentials', body)).json();
}

function recorder() {
  const errors: { fields: { credentials?: { name: string }[] }; message: string }[] = [];
  const log = { error: (fields: object, message: string) => errors.push({ fields, message }) };
  return { errors, log: log as unknown as TestApp['services']['log'] };
}

const check = (secrets: ReturnType<typeof createSecrets>) => {
  const { errors, log } = recorder();
  return checkCredentialKeys({ db: app.services.database.db, secrets, log }).then((unreadable) => ({
    unreadable,
    errors,
  }));
};

test('with the right key the check at start says nothing', async () => {
  await create();
  expect(await check(createSecrets(OLD))).toEqual({ unreadable: [], errors: [] });
});

test('with a wrong key it names every credential that cannot be decrypted, and what to do', async () => {
  const { id, name } = await create();
  const { unreadable, errors } = await check(createSecrets('another key'));
  expect(unreadable).toContainEqual({ id, name, owner_id: owner.id });
  expect(errors).toHaveLength(1);
  expect(errors[0]?.message).toContain('ENCRYPTION_KEYS_OLD');
  expect(errors[0]?.fields.credentials?.map((item) => item.name)).toContain(name);
});

test('a former key still opens; rotation encrypts anew, after which it is not needed', async () => {
  await create();
  const { db, sql } = app.services.database;
  const both = createSecrets('new key', OLD);
  expect((await check(both)).unreadable).toEqual([]);
  const first = await rotateCredentialKeys({ db, sql, secrets: both, now: app.services.now });
  expect(first.unreadable).toEqual([]);
  expect(first.rotated).toBeGreaterThan(0);
  expect((await check(createSecrets('new key'))).unreadable).toEqual([]);
  const second = await rotateCredentialKeys({ db, sql, secrets: both, now: app.services.now });
  expect(second).toEqual({ rotated: 0, unreadable: [] });
});

test('rotation encrypts hidden values of global variables anew', async () => {
  const { db, sql } = app.services.database;
  const secret = 'sk-global-0123456789';
  const config = { bearer_token: secret };
  await owner.call('POST', '/api/credentials', { name: 'GLOBAL', type: 'bearer', config });
  const content = graph(
    [
      ['start', 'textInput'],
      ['keep', 'variable', { variableName: 'kept', variableValue: '$credentials.GLOBAL', isGlobal: true }],
    ],
    ['start>keep'],
  );
  await owner.call('POST', `/api/workflows/${await createWorkflow(owner, content)}/execute`, {});
  const sealed = async () => {
    const text = "SELECT sealed_value FROM global_variables WHERE name = 'kept'";
    return (await sql.query<{ sealed_value: string | null }>({ text })).rows[0]?.sealed_value ?? '';
  };
  expect(createKeyring([OLD]).open(await sealed())).toContain(secret);
  const secrets = createSecrets('key of globals', OLD);
  await rotateCredentialKeys({ db, sql, secrets, now: app.services.now });
  expect(createKeyring(['key of globals']).open(await sealed())).toContain(secret);
  // The keys of the tests behind.
  await rotateCredentialKeys({
    db,
    sql,
    secrets: createSecrets(OLD, 'key of globals'),
    now: app.services.now,
  });
});

test('rotation does not undo a change that was made meanwhile', async () => {
  const { db, sql } = app.services.database;
  const { id } = await create();
  const changing = createSecrets('third key', 'new key', OLD);
  const read = sql.query<{ encrypted_config: string }>({
    text: 'SELECT encrypted_config FROM credentials WHERE id = $1',
    values: [id],
  });
  const before = (await read).rows[0]?.encrypted_config;
  const update = owner.call('PUT', `/api/credentials/${id}`, { config: { api_key: 'sk-changed-987' } });
  await Promise.all([update, rotateCredentialKeys({ db, sql, secrets: changing, now: app.services.now })]);
  await rotateCredentialKeys({
    db,
    sql,
    secrets: createSecrets(OLD, 'third key', 'new key'),
    now: app.services.now,
  });
  expect((await owner.call('GET', `/api/credentials/${id}`)).json()).toMatchObject({
    masked_value: 'sk-chan**',
  });
  expect(before).toBeDefined();
});
