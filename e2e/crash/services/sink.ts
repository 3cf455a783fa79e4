import { createServer } from 'node:http';

/** What happened to one logical effect: a node of a run. */
export interface Effect {
  /** Requests that arrived. */
  attempts: number;
  /** Keys under which they arrived; null without one. */
  readonly keys: Set<string | null>;
  /** How often the target acted: once per key, and on every request without one. */
  applied: number;
}

export interface Sink {
  readonly url: string;
  /** By `<run label>/<node>`. */
  readonly effects: ReadonlyMap<string, Effect>;
  close(): Promise<void>;
}

/** Longest time until it answers, so that there is something to interrupt. */
const SLOWEST_MS = 25;

/** The outside world: honours idempotency keys and remembers everything. Addressed as `/<node>/<run label>`. */
export async function startSink(): Promise<Sink> {
  const effects = new Map<string, Effect>();
  const applied = new Set<string>();
  const server = createServer((request, response) => {
    request.resume();
    const [, node = '', label = ''] = (request.url ?? '').split('/');
    const name = `${label}/${node}`;
    const effect = effects.get(name) ?? { attempts: 0, keys: new Set(), applied: 0 };
    effects.set(name, effect);
    const header = request.headers['idempotency-key'];
    const key = typeof header === 'string' ? header : null;
    effect.attempts += 1;
    effect.keys.add(key);
    if (key === null || !applied.has(key)) effect.applied += 1;
    if (key !== null) applied.add(key);
    setTimeout(() => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ answer: `${node} ${label}` }));
    }, Math.random() * SLOWEST_MS);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    effects,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
