import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Answer, newAnswer } from './message.ts';
import { createStopping } from './stopping.ts';
import { Thread } from './thread.ts';

const cancelled: string[] = [];
const answer = (id: string, execution_id?: string): Answer => ({
  ...newAnswer(),
  id,
  ...(execution_id === undefined ? {} : { execution_id }),
});

function begin() {
  const thread = new Thread({
    door: { slug: 'help' },
    opened: { messages: [answer('first')] },
    onChange: () => stopping.stopLate(),
    onVisitorToken: () => undefined,
  });
  const stopping = createStopping(thread, true);
  return { thread, stopping };
}

beforeEach(() => {
  cancelled.length = 0;
  vi.stubGlobal('fetch', async (address: string) => {
    cancelled.push(address);
    return Response.json({});
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it('stops a run as soon as the server has named it', async () => {
  const { thread, stopping } = begin();
  const stopped = stopping.stop();
  expect(cancelled).toEqual([]);
  thread.watch('first').change({ execution_id: 'run-1' });
  expect(await stopped).toBe(true);
  expect(cancelled).toEqual([expect.stringContaining('run-1')]);
});

it('never stops the run of another conversation that was opened in the meantime', async () => {
  const { thread, stopping } = begin();
  const stopped = stopping.stop();
  thread.open({ id: 'past', messages: [answer('other', 'run-2')] });
  expect(await stopped).toBe(true);
  thread.watch('other').change({ text: 'more' });
  expect(cancelled).toEqual([]);
});
