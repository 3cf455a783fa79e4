import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WorkflowDocument } from '@millrace/engine';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newOrderedId } from '../../../core/ids.ts';
import { createWorkflow, graph, until } from '../../../resources/executions/testing/workflows.ts';
import { shareTestApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import type { Journal } from '../../journal/journal.ts';
import type { RunExecutor } from '../executor/run-executor.ts';

/** Long enough to be masked, with characters that encodings change. */
const SECRET = 'sk-résumé/+&"0123456789';
/** Of a service that answers with its input. */
const HANDED_OUT = `token-for-${SECRET}`;

/** Whole numbers below a bound, the same ones for the same seed. */
type Dice = (below: number) => number;

/** Mulberry32. */
function createDice(seed: number): Dice {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

let app: TestApp;
let user: TestUser;
let server: Server;
let base: string;
let child: string;
const received = new Map<string, Set<string>>();
beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const run = String(request.headers['x-run']);
      const said = JSON.stringify([request.method, request.url, request.headers['x-key'], body]);
      received.set(run, (received.get(run) ?? new Set()).add(said));
      response.sendDate = false;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ said, token: HANDED_OUT, list: [SECRET, 'open'] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  app = await shareTestApp({ HTTP_ALLOW_PRIVATE_URLS: 'true' });
  watchBoundaries(app.services.execution.journal);
  user = await app.user();
  const config = { bearer_token: SECRET };
  await user.call('POST', '/api/credentials', { name: 'KEY', type: 'bearer', config });
  const echo = graph(
    [
      ['start', 'textInput'],
      ['shape', 'set', { mappings: [{ key: 'back', value: '$start.body.text' }] }],
      ['pause', 'wait', { duration: 1 }],
      ['out', 'output', { message: 'child $shape.back $credentials.KEY' }],
    ],
    ['start>shape', 'shape>pause', 'pause>out'],
  );
  child = await createWorkflow(user, echo);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await app.close();
  server.closeAllConnections();
  server.close();
});

const HEADERS = "-H 'X-Run: $start.body.run'";

type NodeDraft = [type: string, data: Record<string, unknown>, value: string];

/** A node that hands a secret on; `value` reads what it made of it. */
function createDraft(dice: Dice, id: string, before: string): NodeDraft {
  switch (dice(6)) {
    case 0:
      return ['set', { mappings: [{ key: 'v', value: `<${before}>` }] }, `$${id}.v`];
    case 1:
      return ['set', { mappings: [{ key: 'v', value: `${before} $credentials.KEY` }] }, `$${id}.v`];
    case 2:
      return [
        'http',
        {
          curl: `curl ${base}/${id} ${HEADERS} -H 'X-Key: $credentials.KEY.length' -G --data-urlencode 'q=${before}'`,
        },
        `$${id}.body.token`,
      ];
    case 3:
      return ['http', { curl: `curl -X PUT ${base}/${id} ${HEADERS} -d '${before}'` }, `$${id}.body.said`];
    case 4:
      return ['variable', { variableName: id, variableValue: before }, `$vars.${id}`];
    default:
      return ['execute', { executeWorkflowId: child, executeInput: before }, `$${id}.outputs.out.result`];
  }
}

/** A chain of such nodes, with a loop that sends each item in the middle and a counter at its end. */
function randomDocument(seed: number): WorkflowDocument {
  const dice = createDice(seed);
  const nodes: [string, string, Record<string, unknown>][] = [['start', 'textInput', {}]];
  const edges: string[] = [];
  let last = 'start';
  let value = '$start.body.text';
  const append = (id: string, [type, data, next]: NodeDraft) => {
    nodes.push([id, type, data]);
    edges.push(`${last}>${id}`);
    last = id;
    value = next;
  };
  const size = 2 + dice(3);
  for (let at = 0; at < size; at++) append(`n${at}`, createDraft(dice, `n${at}`, value));
  if (dice(2) === 0) {
    append('fetch', ['http', { curl: `curl ${base}/list ${HEADERS} -H 'X-Key: ${value.length}'` }, '']);
    nodes.push(['each', 'loop', { arrayExpression: '$fetch.body.list' }]);
    nodes.push(['send', 'http', { curl: `curl -X PUT ${base}/each ${HEADERS} -d '$each.item'` }]);
    edges.push('fetch>each', 'each:loop>send', 'send>each:loop');
    last = 'each:done';
    value = '$each.results';
  }
  const increment = {
    variableName: `count${seed}`,
    variableValue: `($global.count${seed} ?? 0) + 1`,
    isGlobal: true,
  };
  append('count', ['variable', increment, value]);
  append('out', ['output', { message: `${value} of $credentials.KEY` }, '']);
  return graph(nodes as never, edges);
}

interface Watch {
  /** Facts recorded and intents stored so far, by the run and those below it. */
  boundaries: number;
  /** Called after each of them. */
  onBoundary(count: number): void;
}

const watches = new Map<string, Watch>();

/** Tells the watch of a run of every boundary that the run and those below it pass. */
function watchBoundaries(journal: Journal): void {
  const roots = new Map<string, string>();
  const passed = (run_id: string) => {
    const watch = watches.get(roots.get(run_id) ?? '');
    watch?.onBoundary((watch.boundaries += 1));
  };
  const { begin, record, intend } = journal;
  vi.spyOn(journal, 'begin').mockImplementation((run) => {
    roots.set(run.run_id, run.root_run_id ?? run.run_id);
    return begin(run);
  });
  vi.spyOn(journal, 'record').mockImplementation((run_id, fact) => {
    record(run_id, fact);
    passed(run_id);
  });
  vi.spyOn(journal, 'intend').mockImplementation(async (run_id, intent) => {
    const answer = await intend(run_id, intent);
    passed(run_id);
    return answer;
  });
}

const STAYS = () => new AbortController().signal;

interface Ended {
  readonly boundaries: number;
  readonly final: unknown;
  readonly rows: unknown;
  readonly sent: readonly string[];
}

const withoutTimes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, part: unknown) => (/_ms$|^duration|_time$/.test(key) ? 0 : part)));

/** Runs it, stops this process' work on it behind the boundary, and lets the background runner take it up again. */
async function runTo(workflow_id: string, boundary: number): Promise<Ended> {
  const { call, workflows, journal } = app.services.execution;
  const workflow = await workflows.published(workflow_id);
  if (!workflow) throw new Error('the workflow is gone');
  // All ids have the same length, because lengths are compared too.
  const run = `${workflow_id}-${String(boundary).padStart(3, '0')}`;
  const withoutName = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll(run, 'RUN')) as unknown;
  const run_id = newOrderedId(Date.now());
  let executor: RunExecutor | undefined;
  const watch: Watch = {
    boundaries: 0,
    onBoundary: (count) => {
      if (count === boundary) executor?.handOver();
    },
  };
  watches.set(run_id, watch);
  const called = await call(
    {
      workflow,
      principal: { kind: 'user', user_id: user.id, has_access: true },
      input: { headers: {}, query: {}, body: { run, text: `in ${SECRET}` } },
      client: { ip: '127.0.0.1' },
    },
    { left: STAYS, prepare: (admitted) => ({ ...admitted, run_id }) },
  );
  if (called.kind !== 'run') throw new Error('the call was answered without a run');
  executor = called.handle as RunExecutor;
  await executor.finished.catch(() => undefined);
  const stored = await until(async () => {
    const loaded = await journal.load(run_id);
    return loaded?.final ? loaded : undefined;
  }, 60_000);
  const entry = await user.call('GET', `/api/workflows/${workflow_id}/history/${run_id}`);
  const { node_results } = entry.json<{
    node_results: { node_id: string; status: string; output: unknown; metadata: { iteration?: string } }[];
  }>();
  const rows = node_results.map(({ node_id, status, output, metadata }) =>
    // The output of the counter depends on the runs before.
    withoutTimes([node_id, metadata.iteration ?? '', status, node_id === 'count' ? null : output]),
  );
  expect(entry.body).not.toContain(JSON.stringify(SECRET).slice(1, -1));
  return {
    boundaries: watch.boundaries,
    final: withoutName(withoutTimes({ ...stored.final, sealed_outputs: null })),
    rows: withoutName(rows),
    sent: [...(received.get(run) ?? [])].toSorted(),
  };
}

/** Graphs with many boundaries; one that is new may have none. */
const KNOWN = [1, 5, 13];

// Half of the graphs are new in each run; the title names the seed of one that fails.
test.each([...KNOWN, 740171515, ...Array.from({ length: 3 }, () => randomInt(2 ** 31))])(
  'a crash at any boundary changes no output, no request and no row (graph %i)',
  { timeout: 240_000 },
  async (seed) => {
    const workflow_id = await createWorkflow(user, randomDocument(seed));
    const { boundaries, ...whole } = await runTo(workflow_id, 0);
    expect(whole.final).toMatchObject({ status: 'success' });
    expect(whole.final).not.toHaveProperty('failure.message');
    if (KNOWN.includes(seed)) expect(boundaries).toBeGreaterThan(4);
    const crashes = Array.from({ length: boundaries }, (_, at) => at + 1);
    const ended = await Promise.all(crashes.map((boundary) => runTo(workflow_id, boundary)));
    for (const [at, { boundaries: _, ...resumed }] of ended.entries()) {
      expect(resumed, `crash behind boundary ${at + 1}`).toEqual(whole);
    }
    const variables = await user.call('GET', '/api/global-variables');
    const counter = variables
      .json<{ name: string; value: unknown }[]>()
      .find(({ name }) => name === `count${seed}`);
    expect(counter?.value).toBe(boundaries + 1);
  },
);
