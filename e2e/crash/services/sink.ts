import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { ADDRESS_NODE, REFUSED_ONCE, SECRET } from '../graphs/graphs.ts';

/** The record of one logical effect: a node of a run. */
export interface Effect {
  /** Requests that arrived. */
  attempts: number;
  /** Keys under which they arrived; null without one. */
  readonly keys: Set<string | null>;
  /** How often the target acted: once per key, and on every request without one. */
  applied: number;
  /** Requests with an `X-Key` that was not the secret. */
  wrong_secrets: number;
  /** The values that came as `X-Answer`. */
  readonly answers: Set<string>;
}

export interface Sink {
  readonly url: string;
  /** By `<run label>/<node>`. */
  readonly effects: ReadonlyMap<string, Effect>;
  /** Addresses to call, by the label of the run that handed them on. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Notes an effect elsewhere, which came without a key. */
  note(name: string): void;
  /** Lets go of everything, for labels come again on another database. */
  forget(): void;
  close(): Promise<void>;
}

export const newEffect = (): Effect => ({
  attempts: 0,
  keys: new Set(),
  applied: 0,
  wrong_secrets: 0,
  answers: new Set(),
});

/** Longest time until it answers, so that there is something to interrupt. */
const SLOWEST_MS = 25;

/** The outside world: honours idempotency keys and remembers everything. Addressed as `/<node>/<run label>`. */
export async function startSink(): Promise<Sink> {
  const effects = new Map<string, Effect>();
  const applied = new Set<string>();
  const addresses = new Map<string, string>();
  const server = createServer((request, response) => {
    const body = text(request).catch(() => '');
    const [, node = '', label = ''] = (request.url ?? '').split('/');
    const name = `${label}/${node}`;
    const effect = effects.get(name) ?? newEffect();
    effects.set(name, effect);
    const header = request.headers['idempotency-key'];
    const key = typeof header === 'string' ? header : null;
    const secret = request.headers['x-key'];
    const is_refused = node === REFUSED_ONCE && effect.attempts === 0;
    effect.attempts += 1;
    effect.keys.add(key);
    const answer = request.headers['x-answer'];
    if (typeof answer === 'string') effect.answers.add(answer);
    if (secret !== undefined && secret !== SECRET) effect.wrong_secrets += 1;
    if (!is_refused && (key === null || !applied.has(key))) effect.applied += 1;
    if (!is_refused && key !== null) applied.add(key);
    setTimeout(() => {
      if (is_refused) {
        response.destroy();
        return;
      }
      // Only now: its callers must not overtake this request.
      if (node === ADDRESS_NODE) void body.then((given) => keepAddress(label, given));
      response.setHeader('content-type', 'application/json');
      const token = secret === undefined ? {} : { token: SECRET };
      response.end(JSON.stringify({ answer: `${node} ${label}`, ...token }));
    }, Math.random() * SLOWEST_MS);
  });
  function keepAddress(label: string, body: string): void {
    // A request that was cut off is sent again.
    if (body.endsWith('}')) addresses.set(label, (JSON.parse(body) as { url: string }).url);
  }
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    effects,
    addresses,
    note(name) {
      const effect = effects.get(name) ?? newEffect();
      effects.set(name, effect);
      effect.attempts += 1;
      effect.applied += 1;
      effect.keys.add(null);
    },
    forget() {
      effects.clear();
      addresses.clear();
      applied.clear();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
