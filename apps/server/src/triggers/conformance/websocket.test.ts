import { receivers } from '@millrace/nodes/runtime';
import { startWebsocketServer, type WebsocketTestServer } from '@millrace/nodes/testing/websocket-server';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeOnPostgres } from '../../execution/journal/testing/databases.ts';
import { createTriggerWorld, type TriggerWorld } from '../testing/world.ts';

const WITHIN = { timeout: 20_000, interval: 25 };

describeOnPostgres('a WebSocket of several processes', () => {
  let world: TriggerWorld;
  let server: WebsocketTestServer;
  beforeAll(async () => {
    server = await startWebsocketServer();
    const env = { HTTP_ALLOW_PRIVATE_URLS: 'true' };
    world = await createTriggerWorld({ receivers: [...receivers.values()], processes: 3, env });
  }, 60_000);
  afterAll(async () => {
    await world.close();
    await server.stop();
  });

  test('is one connection, taken over when its process is lost; what that one still reads starts no run', async () => {
    const { arm, hosts, readFacts, loadInputs } = world;
    const look = () => Promise.all(hosts.map((host) => host.tick()));
    const trigger = await arm('websocketTrigger', { websocketUrl: server.url, retryWaitSeconds: 1 });
    await look();
    await vi.waitUntil(async () => (await readFacts(trigger)).state === 'connected', WITHIN);
    await look();
    expect(server.handshakes).toHaveLength(1);
    const names: string[] = [];
    for (let killed = 0; killed < 2; killed++) {
      server.send(`before-${killed}`);
      names.push(`before-${killed}`);
      await vi.waitUntil(async () => (await loadInputs(trigger)).length === names.length, WITHIN);
      const { owner } = await readFacts(trigger);
      await hosts.find(({ worker_id }) => worker_id === owner)?.kill();
      await look();
      await vi.waitUntil(() => server.handshakes.length === killed + 2, WITHIN);
      await vi.waitUntil(async () => (await readFacts(trigger)).state === 'connected', WITHIN);
      expect((await readFacts(trigger)).owner).not.toBe(owner);
      // The lost process may still be connected: it reads the message too.
      server.send(`after-${killed}`);
      names.push(`after-${killed}`);
      await vi.waitUntil(async () => (await loadInputs(trigger)).length >= names.length, WITHIN);
      await look();
      await vi.waitUntil(() => server.open.size === 1, WITHIN);
    }
    const read = (await loadInputs(trigger)).map(({ message }) => (message as { text: string }).text);
    expect(read).toEqual(names);
  }, 60_000);
});
