import { Duplex } from 'node:stream';
import { DAY_MS } from '@millrace/engine/units';
import { expect, test } from 'vitest';
import { Containers } from './containers.ts';
import type { Engine } from './engine.ts';

/** An engine whose container closes its outputs and does not end by itself. */
function silentEngine() {
  const removed: string[] = [];
  let leave: (error: Error) => void = () => undefined;
  const engine: Engine = {
    async call<T>(method: string, path: string): Promise<T> {
      if (path.endsWith('/wait'))
        return new Promise<T>((_, reject) => {
          leave = reject;
        });
      if (method === 'DELETE') {
        removed.push(path);
        leave(new Error('removed'));
      }
      return { Id: 'c1' } as T;
    },
    attach: () => {
      const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
      stream.push(null);
      return Promise.resolve(stream);
    },
  };
  return { engine, removed };
}

/** A fake engine with its own clock, which keeps everything until it is removed. */
function keepingEngine(clock: { now: number }) {
  type Made = { Id: string; Created: number; State: string; Labels: Record<string, string> };
  const kept = new Map<string, Made>();
  const engine: Engine = {
    async call<T>(method: string, path: string, body?: object): Promise<T> {
      const { pathname, searchParams } = new URL(path, 'http://engine');
      const answer = (value: unknown) => value as T;
      if (pathname === '/info') return answer({ SystemTime: new Date(clock.now).toISOString() });
      if (pathname === '/volumes') return answer({ Volumes: null });
      if (pathname === '/containers/json') {
        const { label } = JSON.parse(searchParams.get('filters') ?? '') as { label: string[] };
        const [name = '', value] = label[0]?.split('=') ?? [];
        return answer(
          [...kept.values()].filter(
            ({ Labels }) => name in Labels && [undefined, Labels[name]].includes(value),
          ),
        );
      }
      if (pathname === '/containers/create') {
        const { Labels } = body as Pick<Made, 'Labels'>;
        const made = {
          Id: `c${kept.size}`,
          Created: Math.floor(clock.now / 1_000),
          State: 'running',
          Labels,
        };
        kept.set(made.Id, made);
        return answer(made);
      }
      if (method === 'DELETE') kept.delete(pathname.split('/').at(-1) ?? '');
      return answer(undefined);
    },
    // The process dies here, so it can neither watch nor remove the container.
    attach: () => new Promise(() => undefined),
  };
  return { engine, kept };
}

const plan = {
  image: 'i',
  command: ['run'],
  variables: [],
  network: 'none',
  packages: undefined,
  input: '{}',
};

test('code that closes its outputs and keeps running ends at its time', async () => {
  const { engine, removed } = silentEngine();
  const { signal } = new AbortController();
  const ended = await new Containers(engine, 'one').run({ ...plan, timeout_ms: 50, signal });
  expect(ended).toMatchObject({ why: 'timeout', exit_code: -1 });
  expect(removed).toEqual(['/containers/c1?force=1&v=1']);
});

test('code that closes its outputs and keeps running ends with its run', async () => {
  const { engine, removed } = silentEngine();
  const run = new AbortController();
  const ended = new Containers(engine, 'one').run({ ...plan, timeout_ms: 60_000, signal: run.signal });
  setTimeout(() => run.abort(), 20);
  expect(await ended).toMatchObject({ why: 'aborted' });
  expect(removed).toHaveLength(1);
});

test('§8.4: leftover containers are only removed by their own installation, once they have expired by the clock of the engine', async () => {
  // The engine's clock differs a lot from the service's, in both directions.
  for (const off of [-7, 7]) {
    const clock = { now: Date.now() + off * DAY_MS };
    const { engine, kept } = keepingEngine(clock);
    const { signal } = new AbortController();
    const [own, other] = [new Containers(engine, 'one'), new Containers(engine, 'other')];
    void own.run({ ...plan, timeout_ms: 600_000, signal });
    await expect.poll(() => kept.size).toBe(1);
    clock.now += 600_000;
    expect(await own.sweep()).toBe(0);
    clock.now += 61_000;
    expect(await other.sweep()).toBe(0);
    expect(kept.size).toBe(1);
    expect(await own.sweep()).toBe(1);
    expect(kept.size).toBe(0);
  }
});

test('a container that has ended is removed by the second sweep that sees it, long before its time is over', async () => {
  const { engine, kept } = keepingEngine({ now: Date.now() });
  const { signal } = new AbortController();
  const containers = new Containers(engine, 'one');
  void containers.run({ ...plan, timeout_ms: 3_600_000, signal });
  await expect.poll(() => kept.size).toBe(1);
  expect([await containers.sweep(), await containers.sweep()]).toEqual([0, 0]);
  for (const made of kept.values()) made.State = 'exited';
  expect([await containers.sweep(), await containers.sweep()]).toEqual([0, 1]);
  expect(kept.size).toBe(0);
});
