import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { NodeFailure } from '@millrace/engine';
import type { Egress } from '@millrace/nodes/runtime';
import { TUNNEL_WINDOW } from '@millrace/nodes/tunnels';
import { expect, test } from 'vitest';
import { scriptTunnels } from './script-tunnels.ts';

const marker = 'f00d:';
const line = (message: object) => `${JSON.stringify(message)}\n`;
const CONNECT = line({ type: 'connect', id: 1, host: 'a.test', port: 80 });
const ENDED = 'The script was ended, because its container';

/** Guarantee: of a socket, the connections use what every stream has. */
const asSocket = (stream: Duplex) => stream as Awaited<ReturnType<Egress['connect']>>;

function opened({ unread = 0 }: { unread?: number } = {}) {
  const written: string[] = [];
  const asked: string[] = [];
  const ends: AbortSignal[] = [];
  const http: Pick<Egress, 'connect'> = {
    connect: ({ host, port, signal }) => {
      asked.push(`${host}:${port}`);
      ends.push(signal);
      if (host === 'slow.test') return new Promise(() => undefined);
      const sink = new Duplex({ read: () => undefined, write: (_data, _encoding, done) => done() });
      return Promise.resolve(asSocket(sink));
    },
  };
  const dialogue = scriptTunnels({ marker, http, signal: new AbortController().signal })(
    (text) => Promise.resolve(void written.push(text)),
    () => unread,
  );
  const take = (text: string) => dialogue.take(Buffer.from(text)).toString();
  const failure = () =>
    dialogue.failed.catch((error: unknown) => (error instanceof NodeFailure ? error.failure : error));
  return { dialogue, take, written, asked, ends, failure };
}

test('§8.4: messages and the answer are told apart, wherever the pieces end', async () => {
  const { take, asked, written } = opened();
  const text = `${CONNECT}${line({ type: 'finish', id: 1 })}${marker}{"a":1}\nsecond\n`;
  expect([...text].map(take).join('')).toBe(`${marker}{"a":1}\nsecond\n`);
  expect(asked).toEqual(['a.test:80']);
  await turn();
  expect(written).toEqual([line({ type: 'opened', id: 1 })]);
});

test.each([
  ['is no JSON', 'hello\n'],
  ['is no message', line({ type: 'opened', id: 1 })],
  ['has no valid value', line({ type: 'connect', id: 1, host: 'a.test', port: 0 })],
  ['has no end', 'x'.repeat(3 * TUNNEL_WINDOW)],
])('§8.4: a line that %s ends the script, and nothing more is heard', async (_, text) => {
  const { take, failure, asked } = opened();
  take(text);
  expect(await failure()).toMatchObject({
    kind: 'thrown',
    message: `${ENDED} writes something else than messages of its connections`,
  });
  take(`\n${CONNECT}`);
  expect(asked).toEqual([]);
});

test('§8.4: a line that comes in tiny pieces is not copied for each of them', () => {
  const { take, asked } = opened();
  take(`{"type":"finish","id":1,"more":"`);
  // To copy what is there for each piece takes minutes.
  for (let sent = 0; sent < 2 * TUNNEL_WINDOW - 100; sent++) take('x');
  take(`"}\n${CONNECT}`);
  expect(asked).toEqual(['a.test:80']);
}, 20_000);

test('§8.4: a line that only begins like the answer is a message', async () => {
  const { take, failure } = opened();
  for (const piece of ['f00', 'x\n']) expect(take(piece)).toBe('');
  expect(await failure()).toMatchObject({ kind: 'thrown' });
});

test('§8.4: a container that takes nothing ends its script', async () => {
  const { take, failure } = opened({ unread: 100_000_000 });
  take(CONNECT);
  expect(await failure()).toMatchObject({ message: `${ENDED} reads nothing` });
});

test('§8.4: more than 500 MB in all end the script', async () => {
  const { take, failure } = opened();
  take(CONNECT);
  await turn();
  const data = line({ type: 'data', id: 1, data: Buffer.alloc(TUNNEL_WINDOW).toString('base64') });
  for (let sent = 0; sent <= 530_000_000; sent += TUNNEL_WINDOW) {
    take(data);
    await turn();
  }
  expect(await failure()).toMatchObject({
    kind: 'limit',
    message: 'The script transferred more than 500 MB',
  });
}, 30_000);

test('§8.4: a connection that is given up is no longer opened, and at the end none is', () => {
  const { take, ends, dialogue } = opened();
  for (const id of [1, 2]) take(line({ type: 'connect', id, host: 'slow.test', port: 80 }));
  take(line({ type: 'close', id: 1 }));
  expect(ends.map(({ aborted }) => aborted)).toEqual([true, false]);
  dialogue.close();
  expect(ends.map(({ aborted }) => aborted)).toEqual([true, true]);
});
