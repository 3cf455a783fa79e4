/**
 * Turns of an agent with one tool beside the library of the provider in a loop; tokens through the stream of a run beside the
 * stream of the provider; memory and latency of agents that wait for their model at the same time.
 * `npm run bench -- agents [--quick]`. It needs nothing else.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { agent, type BenchClient, language, signUp } from './support/client.ts';
import { compare, generator } from './support/load.ts';
import { type ServerProcess, startBareAgent, startMillrace, startModelServer } from './support/processes.ts';
import { median } from './support/quantile.ts';
import { printTable } from './support/table.ts';

const quick = process.argv.includes('--quick');
const SECONDS = quick ? 1 : 6;
const ROUNDS = quick ? 2 : 5;
const TOKENS = 2_000;
const AGENTS = 100;
const WAIT_MS = 2_000;
const SETTLE_MS = 2_000;
const INPUT = JSON.stringify({ text: 'hello' });

const post = (url: string, body: unknown) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** Reads an answer to its end. Resolves to the tokens in it per second. */
async function timeTokens(url: string, body: unknown): Promise<number> {
  const began = performance.now();
  const answer = await post(url, body);
  const text = await answer.text();
  const count = text.split('word ').length - 1;
  if (count < TOKENS) throw new Error(`${url} brought ${count} of ${TOKENS} tokens: ${text.slice(0, 300)}`);
  return TOKENS / ((performance.now() - began) / 1000);
}

interface Stage {
  readonly server: ServerProcess;
  readonly provider: ServerProcess;
  readonly client: BenchClient;
  /** Id of the credential of the provider. */
  readonly credential: string;
}

async function compareTurns({ server, provider, client, credential }: Stage): Promise<(string | number)[][]> {
  const bare = await startBareAgent(provider.url);
  const url = await client.workflow(agent({ credentialId: credential, model: 'bench' }));
  const rows: (string | number)[][] = [];
  for (const connections of [1, 32]) {
    const found = await compare(
      { yardstick: { server: bare, url: `${bare.url}/turn` }, measured: { server, url } },
      { body: INPUT, connections, seconds: SECONDS },
      ROUNDS,
    );
    const { measured, yardstick, ratio } = found;
    const figures = [measured.per_second, yardstick.per_second, ratio.toFixed(2)];
    rows.push([connections, ...figures, measured.p50_ms, yardstick.p50_ms, measured.failed]);
  }
  await bare.stop();
  return rows;
}

async function compareTokens({ provider, client, credential }: Stage): Promise<(string | number)[]> {
  const model = `tokens-${TOKENS}`;
  const url = await client.workflow(language({ credentialId: credential, model }));
  const direct = { model, stream: true, messages: [{ role: 'user', content: 'hello' }] };
  const rounds: { ours: number; bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      bare: await timeTokens(`${provider.url}/chat/completions`, direct),
      ours: await timeTokens(`${url}/stream?tokens=true`, INPUT),
    });
  }
  const ours = median(rounds.map((round) => round.ours));
  const bare = median(rounds.map((round) => round.bare));
  return [TOKENS, ours, bare, (ours / bare).toFixed(2)];
}

/** All at once, each of which waits twice for its model. */
async function holdMany({ server, client, credential }: Stage): Promise<(string | number)[][]> {
  const url = await client.workflow(agent({ credentialId: credential, model: `waits-${WAIT_MS}` }));
  await pause(SETTLE_MS);
  const before = ['none', server.memory(), await server.heap(), '', ''];
  const took: number[] = [];
  const calls = Array.from({ length: AGENTS }, async () => {
    const began = performance.now();
    const answer = await post(url, INPUT);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`an agent answered ${answer.status}: ${text}`);
    took.push(performance.now() - began - 2 * WAIT_MS);
  });
  await pause(WAIT_MS * 0.9);
  const during = [`${AGENTS} agents`, server.memory(), await server.heap()];
  await Promise.all(calls);
  return [before, [...during, median(took), Math.max(...took)]];
}

const provider = await startModelServer();
const server = await startMillrace({ env: { HTTP_ALLOW_PRIVATE_URLS: 'true' } });
const client = await signUp(server.url);
const stage = { server, provider, client, credential: await client.modelCredential(provider.url) };
console.log(`load by ${generator}`);
// First, because memory says little after a load.
const held = await holdMany(stage);
printTable(['at once', 'resident MB', 'heap MB', 'p50 ms over the model', 'longest ms over it'], held);
const turns = await compareTurns(stage);
printTable(['connections', 'turns/s', 'bare turns/s', 'of bare', 'p50 ms', 'bare p50 ms', 'failed'], turns);
printTable(['tokens', 'per s', 'bare per s', 'of bare'], [await compareTokens(stage)]);
await server.stop();
await provider.stop();
process.exit(0);
