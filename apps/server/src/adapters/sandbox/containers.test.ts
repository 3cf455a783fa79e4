import { Duplex } from 'node:stream';
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
  const ended = await new Containers(engine, Date.now).run({ ...plan, timeout_ms: 50, signal });
  expect(ended).toMatchObject({ why: 'timeout', exit_code: -1 });
  expect(removed).toEqual(['/containers/c1?force=1&v=1']);
});

test('code that closes its outputs and keeps running ends with its run', async () => {
  const { engine, removed } = silentEngine();
  const run = new AbortController();
  const ended = new Containers(engine, Date.now).run({ ...plan, timeout_ms: 60_000, signal: run.signal });
  setTimeout(() => run.abort(), 20);
  expect(await ended).toMatchObject({ why: 'aborted' });
  expect(removed).toHaveLength(1);
});
