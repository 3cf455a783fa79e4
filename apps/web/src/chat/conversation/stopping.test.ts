import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Answer, newAnswer } from './message.ts';
import { createStopping } from './stopping.ts';
import { Thread } from './thread.ts';

const cancelled: string[] = [];
/** How often the page has looked into the conversation. */
let looks = 0;
/** Turns of the stored conversations. */
let turns: Record<string, { execution_id: string; status: string }[]>;
let cancels: () => Response | Promise<Response>;

const answer = (id: string, execution_id?: string): Answer => ({
  ...newAnswer(),
  id,
  ...(execution_id === undefined ? {} : { execution_id }),
});

function begin({ streams = true, id }: { streams?: boolean; id?: string } = {}) {
  const thread = new Thread({
    door: { slug: 'help' },
    opened: { id, messages: [answer('first')] },
    onChange: () => undefined,
    onVisitorToken: () => undefined,
  });
  return { thread, stopping: createStopping(thread, streams) };
}

beforeEach(() => {
  cancelled.length = 0;
  [looks, turns] = [0, {}];
  cancels = () => Response.json({});
  vi.stubGlobal('fetch', async (address: string) => {
    const [, name] = /conversations\/(.+)$/.exec(address) ?? [];
    if (name !== undefined) {
      looks += 1;
      return Response.json({ id: name, turns: turns[name] ?? [] });
    }
    const [, run] = /executions\/(.+)\/cancel$/.exec(address) ?? [];
    cancelled.push(run ?? address);
    return cancels();
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('stops a run as soon as the server has named it', async () => {
  const { thread, stopping } = begin();
  const stopped = stopping.stop();
  expect(cancelled).toEqual([]);
  thread.watch('first').change({ execution_id: 'run-1' });
  expect(await stopped).toBe(true);
  expect(cancelled).toEqual(['run-1']);
});

it('has nothing to stop when the answer ends without a run', async () => {
  const { thread, stopping } = begin();
  const stopped = stopping.stop();
  thread.watch('first').change(() => ({ state: 'failed', problem: { kind: 'unsent' } }));
  thread.end('first');
  expect(await stopped).toBe(true);
  expect(cancelled).toEqual([]);
});

it('stops the run that is named when another conversation is open, and never the run of that one', async () => {
  const { thread, stopping } = begin();
  const first = thread.watch('first');
  const stopped = stopping.stop();
  thread.open({ id: 'past', messages: [answer('other', 'run-2')] });
  thread.watch('other').change({ text: 'more', execution_id: 'run-2' });
  expect(cancelled).toEqual([]);
  first.change({ execution_id: 'run-1' });
  expect(await stopped).toBe(true);
  expect(cancelled).toEqual(['run-1']);
});

it('tells of a run that could not be stopped as long as it is shown', async () => {
  cancels = () => Response.json({ detail: 'No' }, { status: 503 });
  const { thread, stopping } = begin();
  const shown = stopping.stop();
  const { change } = thread.watch('first');
  change({ execution_id: 'run-1' });
  expect(await shown).toBe(false);
  const left = stopping.stop();
  thread.open({ id: 'past', messages: [] });
  expect(await left).toBe(true);
});

describe('a portal without streams', () => {
  const running = (execution_id: string) => [{ execution_id, status: 'running' }];

  it('stops the run of the conversation in which it was asked to, whichever is open then', async () => {
    turns = { one: running('run-1'), two: running('run-2') };
    const { thread, stopping } = begin({ streams: false, id: 'one' });
    const stopped = stopping.stop();
    thread.open({ id: 'two', messages: [answer('other', 'run-2')] });
    expect(await stopped).toBe(true);
    expect(cancelled).toEqual(['run-1']);
    expect(thread.last).toMatchObject({ id: 'other', state: 'working' });
    expect(thread.signal.aborted).toBe(false);
  });

  it('looks for a late run of the conversation that was left, not of the one that is open', async () => {
    vi.useFakeTimers();
    turns = { two: running('run-2') };
    const { thread, stopping } = begin({ streams: false, id: 'one' });
    const stopped = stopping.stop();
    thread.open({ id: 'two', messages: [answer('other', 'run-2')] });
    await vi.advanceTimersByTimeAsync(300);
    turns = { ...turns, one: running('run-1') };
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await stopped).toBe(true);
    expect(cancelled).toEqual(['run-1']);
  });

  it('follows the conversation on that was opened while the run was stopped', async () => {
    const { thread, stopping } = begin({ streams: false, id: 'one' });
    thread.watch('first').change({ execution_id: 'run-1' });
    cancels = () => {
      thread.open({ id: 'two', messages: [answer('other', 'run-2')] });
      return Response.json({});
    };
    expect(await stopping.stop()).toBe(true);
    expect(thread.signal.aborted).toBe(false);
  });

  it('stops nothing when the conversation was left before it was stored', async () => {
    vi.useFakeTimers();
    turns = { two: running('run-2') };
    const { thread, stopping } = begin({ streams: false });
    const stopped = stopping.stop();
    thread.open({ id: 'two', messages: [answer('other', 'run-2')] });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await stopped).toBe(true);
    expect([cancelled, looks]).toEqual([[], 0]);
  });

  it('leaves an answer as it is that came before its run was found', async () => {
    vi.useFakeTimers();
    const { thread, stopping } = begin({ streams: false, id: 'one' });
    const stopped = stopping.stop();
    thread.watch('first').change({ state: 'done', text: 'Hi' });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await stopped).toBe(true);
    expect(thread.last).toMatchObject({ state: 'done', text: 'Hi' });
  });

  it('leaves the next answer of the same conversation alone', async () => {
    vi.useFakeTimers();
    const { thread, stopping } = begin({ streams: false, id: 'one' });
    const stopped = stopping.stop();
    await vi.advanceTimersByTimeAsync(10);
    turns = { one: running('run-2') };
    thread.follow('next');
    thread.show([answer('next')]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await stopped).toBe(true);
    expect(cancelled).toEqual([]);
    expect(thread.last).toMatchObject({ id: 'next', state: 'working' });
  });
});
