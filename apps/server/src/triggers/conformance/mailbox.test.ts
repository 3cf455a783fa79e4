import { randomUUID } from 'node:crypto';
import { receivers } from '@millrace/nodes/runtime';
import { type Dovecot, hasDovecot, startDovecot } from '@millrace/nodes/testing/dovecot';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTriggerWorld, type TriggerWorld } from '../testing/world.ts';

const WITHIN = { timeout: 20_000, interval: 50 };
const SECOND_MS = 1_000;

describe.skipIf(!hasDovecot)('§6.2 a mailbox on a real IMAP server (needs Dovecot)', () => {
  let server: Dovecot;
  let world: TriggerWorld;
  beforeAll(async () => {
    server = await startDovecot(undefined, { offers_tls: false });
    const env = { HTTP_ALLOW_PRIVATE_URLS: 'true' };
    world = await createTriggerWorld({ receivers: [...receivers.values()], processes: 1, env });
  }, 60_000);
  afterAll(async () => {
    await world.close();
    await server.stop();
  });

  test('a mail starts its run as soon as the server announces it, not at the next poll', async () => {
    const { app, arm, hosts, readFacts, loadInputs, user } = world;
    const person = `person-${randomUUID()}`;
    const config = {
      imap_host: '127.0.0.1',
      imap_port: server.plain_port,
      imap_username: person,
      imap_password: 'secret',
      imap_mailbox: 'INBOX',
      imap_use_ssl: false,
    };
    const made = await user.call('POST', '/api/credentials', { name: person, type: 'imap', config });
    const { id: credentialId } = made.json<{ id: string }>();
    const trigger = await arm('imapTrigger', { credentialId, pollIntervalMinutes: 60 });
    const look = async () => {
      // Far less than one poll interval in total.
      app.clock.now += SECOND_MS;
      await Promise.all(hosts.map((host) => host.tick()));
    };
    const subjects = async () =>
      (await loadInputs(trigger)).map(({ email }) => (email as { subject: string }).subject);
    await vi.waitUntil(async () => {
      await look();
      return (await readFacts(trigger)).state === 'armed';
    }, WITHIN);
    for (const subject of ['one', 'two']) {
      for (let time = 0; time < 4; time++) await look();
      await server.deliver(person, `Subject: ${subject}\n\nHello\n`);
      await vi.waitUntil(async () => {
        await look();
        return (await subjects()).includes(subject);
      }, WITHIN);
    }
    expect(await subjects()).toEqual(['one', 'two']);
  }, 60_000);
});
