import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createMemoryBroadcast } from '../../../adapters/memory/broadcast.ts';
import { createMemoryStore } from '../../../adapters/memory/shared-store.ts';
import type { SseFrame, SseWriter } from '../../../http/sse.ts';
import { createCancellations } from './cancellations.ts';
import { createMcpStreams } from './streams.ts';

/** Two processes that share a store and hear each other. */
function twoProcesses() {
  const shared = {
    broadcast: createMemoryBroadcast(),
    shared_store: createMemoryStore(Date.now),
    log: pino({ level: 'silent' }),
  };
  return { ...shared, here: createMcpStreams(shared), there: createMcpStreams(shared) };
}

function writer(): SseWriter & { sent: string[]; close(): void } {
  const sent: string[] = [];
  const closing: (() => void)[] = [];
  return {
    sent,
    is_open: true,
    send: ({ data }: SseFrame) => void sent.push(typeof data === 'string' ? data : data()),
    end: () => undefined,
    leave: () => undefined,
    onClose: (listener) => void closing.push(listener),
    close: () => closing.forEach((listener) => listener()),
  };
}

test('answers reach a stream that another process holds, in their order', async () => {
  const { here, there } = twoProcesses();
  const reader = writer();
  await here.open('a', { writer: reader, user_id: 'u' });
  expect(await there.isOpen('a')).toBe(true);
  for (let id = 0; id < 50; id += 1) there.send('a', { id });
  await expect.poll(() => reader.sent.length).toBe(50);
  expect(reader.sent.map((text) => JSON.parse(text).id)).toEqual(Array.from({ length: 50 }, (_, id) => id));
});

test('a stream that is closed is known to be closed everywhere', async () => {
  const { here, there } = twoProcesses();
  const reader = writer();
  await here.open('a', { writer: reader, user_id: 'u' });
  reader.close();
  await expect.poll(() => there.isOpen('a')).toBe(false);
  expect(await here.isOpen('a')).toBe(false);
  expect(here.size).toBe(0);
});

test('a person whose tools change is told on their own streams, at every process', async () => {
  const { broadcast, here, there } = twoProcesses();
  const [one, two, other] = [writer(), writer(), writer()];
  await here.open('a', { writer: one, user_id: 'u' });
  await there.open('b', { writer: two, user_id: 'u' });
  await there.open('c', { writer: other, user_id: 'v' });
  broadcast.publish('mcp_tools_changed', 'u');
  expect([one, two, other].map(({ sent }) => sent.length)).toEqual([2, 2, 0]);
  expect(one.sent[0]).toContain('notifications/tools/list_changed');
});

test('a cancellation reaches the process that works on the request, and no request of another conversation', () => {
  const broadcast = createMemoryBroadcast();
  const [here, there] = [createCancellations(broadcast), createCancellations(broadcast)];
  const cancelled: string[] = [];
  const done = here.add({ scope: 'mine', id: 1 }, () => void cancelled.push('1'));
  here.add({ scope: 'mine', id: '1' }, () => void cancelled.push('text 1'));
  here.add({ scope: 'theirs', id: 1 }, () => void cancelled.push('theirs'));
  there.cancel({ scope: 'mine', id: 1 });
  expect(cancelled).toEqual(['1']);
  done();
  there.cancel({ scope: 'mine', id: 1 });
  expect(cancelled).toEqual(['1']);
});
