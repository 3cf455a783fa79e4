import { DAY_MS } from '@millrace/engine/units';
import { expect, test } from 'vitest';
import { useOwnTestApp } from '../../../testing/index.ts';
import { credentialById, updateCredential } from '../queries.ts';
import { openConfig, sealConfig } from '../sealing.ts';
import { announceExpiring } from './expiring.ts';

const app = await useOwnTestApp();
const owner = await app.user();

/** A credential as a sign-in leaves it. */
async function signedIn(name: string, tokens: Record<string, unknown>): Promise<string> {
  const config = {
    authorization_url: 'https://provider.example/authorize',
    token_url: 'https://provider.example/token',
    client_id: 'client-1',
    client_secret: 'canary-secret',
  };
  const made = await owner.call('POST', '/api/credentials', { name, type: 'oauth2', config });
  expect(made.statusCode, made.body).toBe(201);
  const { id } = made.json<{ id: string }>();
  const { database, secrets } = app.services;
  const row = await credentialById(database.db, id);
  const stored = row && openConfig(secrets, row);
  await updateCredential(
    database.db,
    id,
    sealConfig(secrets, { ...stored, ...tokens, connection: 'connected' }, app.clock.now),
  );
  return id;
}

test('an owner is notified once of a sign-in that ends within a week and that only they can renew', async () => {
  const { database, secrets } = app.services;
  const inDays = (days: number) => new Date(app.clock.now + days * DAY_MS).toISOString();
  const token_expiry = inDays(5);
  const soon = await signedIn('soon', { access_token: 'token-canary', token_expiry });
  await signedIn('renews itself', { access_token: 'a', refresh_token: 'r', token_expiry });
  await signedIn('later', { access_token: 'a', token_expiry: inDays(30) });
  await signedIn('has ended', { access_token: 'a', token_expiry: inDays(-1) });
  await signedIn('unknown length', { access_token: 'a' });
  const look = () => announceExpiring({ db: database.db, secrets, now: () => app.clock.now });
  expect(await look()).toBe(1);
  app.clock.now += DAY_MS;
  await look();
  const { rows } = await database.sql.query<{ owner_id: string; payload: string }>({
    text: `SELECT owner_id, payload FROM platform_events WHERE name = 'credential.expiring'`,
  });
  expect(
    rows.map(({ owner_id, payload }) => ({ owner_id, payload: JSON.parse(payload) as unknown })),
  ).toEqual([
    {
      owner_id: owner.id,
      payload: {
        credential_id: soon,
        name: 'soon',
        type: 'oauth2',
        owner_id: owner.id,
        expires_at: token_expiry,
      },
    },
  ]);
});
