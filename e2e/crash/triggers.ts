import { createHmac, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fleet, type FleetOptions, startFleet } from './fleet.ts';
import type { Stage } from './scenario.ts';
import { atExit } from './services/cleanup.ts';
import { connect, type Sql } from './services/sql.ts';
import { createDatabase, type Storage, type StorageServer, withDatabase } from './services/storage.ts';
import { kills } from './trouble.ts';

const LEASE_SECONDS = 1;
const SCHEDULES = 4;
/** Due times of a schedule that have passed when the kills begin; fewer than are left out for their age. */
const MISSED_MINUTES = 8;
const SENDERS = 4;
/** Least number of deliveries and changes; there are more when the kills take longer. */
const LEAST_SENT = 60;
/** Without a change for this long, what is missing is lost. */
const STALL_MS = 40_000;
/** Kills that do not come within this time do not come. */
const LONGEST_MS = 120_000;
const LONGEST_MS_PER_KILL = 15_000;
const SIGNING_SECRET = 'a-signing-secret-of-32-characters';

interface Made {
  readonly token: string;
  readonly schedules: readonly string[];
  readonly chat: string;
  /** Recognises deliveries by their order. */
  readonly orders: string;
  readonly listener: string;
  /** Is changed again and again. */
  readonly watched: string;
}

/** Sends until it is answered with success, to any process that serves. */
async function sendUntilAnswered(
  fleet: Fleet,
  path: string,
  init: () => RequestInit & { readonly headers?: Record<string, string> },
): Promise<Response> {
  const until = performance.now() + LONGEST_MS;
  while (performance.now() < until) {
    const urls = fleet.urls();
    const base = urls[Math.floor(Math.random() * urls.length)];
    try {
      const answer = await fetch(`${base}${path}`, { ...init(), signal: AbortSignal.timeout(15_000) });
      if (answer.ok) return answer;
    } catch {
      // The process went away; whether it stored anything is not known.
    }
    await sleep(100);
  }
  throw new Error(`${path} was never answered`);
}

const buildJsonRequest = (method: string, body: unknown, token?: string) => () => ({
  method,
  headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
  body: JSON.stringify(body),
});

const single = (id: string, type: string, data: object) => ({
  nodes: [{ id, type, position: { x: 0, y: 0 }, data: { label: 'in', ...data } }],
  edges: [],
});

async function make(fleet: Fleet): Promise<Made> {
  const person = { email: `crash-${randomUUID()}@example.com`, password: 'Passw0rd!', name: 'Crash' };
  const post = async <T>(path: string, body: object, token?: string) =>
    (await (await sendUntilAnswered(fleet, path, buildJsonRequest('POST', body, token))).json()) as T;
  const { access_token: token } = await post<{ access_token: string }>('/api/auth/register', person);
  const create = async (graph: object) =>
    (await post<{ id: string }>('/api/workflows', { name: 'Crash', ...graph }, token)).id;
  const { id: credentialId } = await post<{ id: string }>(
    '/api/credentials',
    { name: 'chat', type: 'slack_trigger', config: { signing_secret: SIGNING_SECRET } },
    token,
  );
  const schedules: string[] = [];
  for (let more = 0; more < SCHEDULES; more++)
    schedules.push(await create(single('clock', 'cron', { cronExpression: '* * * * *' })));
  const chat = await create(single('chat-of-the-harness', 'slackTrigger', { credentialId }));
  const recognises = { deduplicateBy: '$input.body.order', deduplicateMinutes: 60, eventIdHeader: 'x-id' };
  const orders = await create(single('orders-of-the-harness', 'webhookTrigger', recognises));
  const watched = await create(single('start', 'textInput', {}));
  const events = { eventNames: ['workflow.updated'] };
  const listener = await create(single('events', 'platformEventTrigger', events));
  return { token, schedules, chat, orders, watched, listener };
}

async function waitUntil(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > until) throw new Error(`${what}: not after ${LONGEST_MS / 1000} s`);
    await sleep(100);
  }
}

/** Lets every schedule have missed some minutes. Resolves to the first of them. */
async function missMinutes(sql: Sql): Promise<number> {
  await waitUntil('triggers are armed', async () => {
    const [row] = await sql.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM triggers WHERE armed_at IS NOT NULL`,
    );
    return row?.n === SCHEDULES + 1;
  });
  const [row] = await sql.query<{ at: number }>(
    `UPDATE triggers SET next_due_at = date_trunc('minute', now()) - make_interval(mins => $1::int) WHERE kind = 'clock'
     RETURNING (extract(epoch FROM next_due_at) * 1000)::float8 AS at`,
    [MISSED_MINUTES],
  );
  return row?.at ?? 0;
}

function delivery(event_id: string) {
  const body = JSON.stringify({ event_id, type: 'event_callback', event: { text: event_id } });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const digest = createHmac('sha256', SIGNING_SECRET).update(`v0:${timestamp}:${body}`).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${digest}`,
  };
  return { method: 'POST', headers, body };
}

interface Sent {
  readonly events: string[];
  readonly orders: string[];
  readonly names: string[];
}

/** Delivers events, every fifth of them again, and changes a workflow, until enough processes were killed. */
async function send(fleet: Fleet, made: Made, isEnough: () => boolean): Promise<Sent> {
  const sent: Sent = { events: [], orders: [], names: [] };
  let next = 0;
  const address = '/api/workspacechat/webhook/chat-of-the-harness';
  const deliver = async () => {
    for (let at = next++; at < LEAST_SENT || !isEnough(); at = next++) {
      const event_id = `event-${at}`;
      for (let times = at % 5 === 0 ? 2 : 1; times > 0; times--)
        await sendUntilAnswered(fleet, address, () => delivery(event_id));
      sent.events.push(event_id);
    }
  };
  /** Each order in two deliveries at once, with an id each, often to two processes. */
  const order = async () => {
    for (let at = 0; at < LEAST_SENT / 2 || !isEnough(); at++) {
      const name = `order-${at}`;
      const body = JSON.stringify({ order: name });
      const once = () => {
        const headers = { 'content-type': 'application/json', 'x-id': randomUUID() };
        return sendUntilAnswered(fleet, '/api/webhooks/orders-of-the-harness', () => ({
          method: 'POST',
          headers,
          body,
        }));
      };
      await Promise.all([once(), once()]);
      sent.orders.push(name);
    }
  };
  const change = async () => {
    while (sent.names.length < LEAST_SENT / 4 || !isEnough()) {
      const name = `change ${sent.names.length}`;
      const request = buildJsonRequest('PUT', { name }, made.token);
      await sendUntilAnswered(fleet, `/api/workflows/${made.watched}`, request);
      sent.names.push(name);
      await sleep(Math.random() * 400);
    }
  };
  await Promise.all([...Array.from({ length: SENDERS }, deliver), order(), change()]);
  return sent;
}

interface Caused {
  readonly workflow_id: string;
  readonly cause: string;
  readonly state: number | null;
  readonly status: string | null;
}

const CAUSED = `SELECT c.workflow_id, c.cause, r.state, r.status FROM trigger_causes c LEFT JOIN runs r ON r.id = c.run_id`;
const UNCAUSED = `SELECT count(*)::int AS n FROM runs r
  WHERE NOT EXISTS (SELECT 1 FROM trigger_causes c WHERE c.run_id = r.id)`;
const DOUBLED = `SELECT count(*)::int AS n FROM
  (SELECT run_id FROM trigger_causes WHERE workflow_id <> ALL($1::uuid[]) GROUP BY run_id HAVING count(*) > 1) twice`;
const ORDERED = `SELECT input::json -> 'body' ->> 'order' AS name, count(*)::int AS runs FROM runs
  WHERE workflow_id = $1 GROUP BY name`;
/** A long input is stored elsewhere and is named by `@` alone; the causes name its events too. */
const TOLD = `SELECT e.id, e.payload, (SELECT count(*) FROM trigger_causes c JOIN runs r ON r.id = c.run_id
    WHERE c.workflow_id = $1 AND c.cause = e.id::text AND (r.input LIKE '@%' OR position(c.cause IN r.input) > 0))::int AS runs
  FROM platform_events e WHERE e.name = 'workflow.updated'`;

/** Minutes from the first missed one to the last that is due for sure. */
function minutesFrom(first_ms: number, until_ms: number): string[] {
  const minutes: string[] = [];
  for (let at = first_ms; at <= until_ms; at += 60_000) minutes.push(new Date(at).toISOString());
  return minutes;
}

interface Expected extends Made {
  readonly first_ms: number;
  readonly until_ms: number;
  readonly sent: Sent;
}

/** The problems, in words, once nothing is under way any more. */
async function findings(sql: Sql, expected: Expected): Promise<string[]> {
  const { schedules, chat, orders, listener, sent, first_ms, until_ms } = expected;
  const wrong: string[] = [];
  const caused = await sql.query<Caused>(CAUSED);
  const listCauses = (id: string) =>
    caused.filter(({ workflow_id }) => workflow_id === id).map(({ cause }) => cause);
  const missing = (what: string, wanted: readonly string[], found: readonly string[]) => {
    const known = new Set(found);
    for (const one of wanted) if (!known.has(one)) wrong.push(`${what} ${one} has started no run`);
  };
  for (const id of schedules) missing('minute', minutesFrom(first_ms, until_ms), listCauses(id));
  missing('delivery', sent.events, listCauses(chat));
  if (listCauses(chat).length > sent.events.length) wrong.push('there are more deliveries than were sent');
  const ordered = await sql.query<{ name: string; runs: number }>(ORDERED, [orders]);
  missing(
    'order',
    sent.orders,
    ordered.map(({ name }) => name),
  );
  for (const { name, runs } of ordered) if (runs !== 1) wrong.push(`${name} is in ${runs} runs`);
  const events = await sql.query<{ id: string; payload: string; runs: number }>(TOLD, [listener]);
  const names = events.map(({ payload }) => (JSON.parse(payload) as { name: string }).name);
  missing('stored change', sent.names, names);
  for (const { id, runs } of events) if (runs !== 1) wrong.push(`event ${id} is in ${runs} runs`);
  for (const { cause, state, status } of caused)
    if (state !== 3 || status !== 'success') wrong.push(`the run of ${cause} is ${status ?? 'not there'}`);
  for (const [text, values] of [
    [UNCAUSED, []],
    [DOUBLED, [[listener, orders]]],
  ] as const) {
    const [row] = await sql.query<{ n: number }>(text, [...values]);
    if (row?.n !== 0) wrong.push(`${row?.n} runs without a cause of their own`);
  }
  return wrong;
}

/** Until nothing is wrong, or nothing gets better any more. */
async function settledFindings(sql: Sql, expected: Expected, stall_ms: number): Promise<string[]> {
  let wrong = await findings(sql, expected);
  for (let since = performance.now(); wrong.length > 0 && performance.now() - since < stall_ms; ) {
    await sleep(250);
    const now = await findings(sql, expected);
    if (now.length !== wrong.length) since = performance.now();
    wrong = now;
  }
  return wrong;
}

const COUNTS = `SELECT t.kind, count(*)::int AS causes, count(DISTINCT c.run_id)::int AS runs, sum(c.repeats)::int AS repeats
  FROM trigger_causes c JOIN triggers t USING (workflow_id, node_id) GROUP BY t.kind ORDER BY t.kind`;

interface Judged {
  readonly wrong: readonly string[];
  readonly kills: number;
}

interface TriggerScenario {
  readonly name: string;
  readonly wanted_kills: number;
  readonly stall_ms: number;
  readonly program?: FleetOptions['program'];
}

async function runTriggers(
  stage: Pick<Stage, 'programs'>,
  server: StorageServer,
  scenario: TriggerScenario,
): Promise<Judged> {
  return withDatabase(await createDatabase(server), (storage) => runTriggersOn(storage, stage, scenario));
}

async function runTriggersOn(
  storage: Storage,
  { programs }: Pick<Stage, 'programs'>,
  { name, wanted_kills, stall_ms, program = 'main' }: TriggerScenario,
): Promise<Judged> {
  const data_dir = mkdtempSync(join(tmpdir(), 'millrace-crash-'));
  atExit(() => rmSync(data_dir, { recursive: true, force: true }));
  const place = { programs, program, data_dir, database_url: storage.url } as const;
  const fleet = await startFleet({ ...place, size: 3, lease_seconds: LEASE_SECONDS });
  const sql = connect(storage.url);
  try {
    await fleet.ready();
    const made = await make(fleet);
    const first_ms = await missMinutes(sql);
    const over = new AbortController();
    const began = performance.now();
    const longest_ms = Math.max(LONGEST_MS, wanted_kills * LONGEST_MS_PER_KILL);
    const isEnough = () => fleet.counts.kills >= wanted_kills || performance.now() - began > longest_ms;
    const trouble = kills(fleet, { signal: over.signal, sql, lease_ms: LEASE_SECONDS * 1000, spacing: 1 });
    const watch = setInterval(() => isEnough() && over.abort(), 20);
    const sent = await send(fleet, made, isEnough);
    clearInterval(watch);
    over.abort();
    await trouble;
    const expected = { ...made, first_ms, until_ms: Date.now(), sent };
    const wrong = await settledFindings(sql, expected, stall_ms);
    for (const { kind, causes, runs, repeats } of await sql.query<
      Record<'kind' | 'causes' | 'runs' | 'repeats', string>
    >(COUNTS))
      console.log(
        `${name}, ${fleet.counts.kills} x kill -9, ${kind}: ${causes} causes (${repeats} again), ${runs} runs`,
      );
    return { wrong, kills: fleet.counts.kills };
  } finally {
    await fleet.stop();
    await sql.close();
  }
}

const FINDINGS_TOLD = 10;

/**
 * Kills processes while schedules are due, deliveries arrive and changes are stored: every occurrence must have started
 * exactly one run. Resolves to what is wrong.
 */
export async function judgeTriggers(
  stage: Pick<Stage, 'programs'>,
  server: StorageServer,
  wanted_kills: number,
): Promise<string[]> {
  const name = 'triggers';
  const { wrong, kills } = await runTriggers(stage, server, { name, wanted_kills, stall_ms: STALL_MS });
  const proof = kills < wanted_kills ? [`only ${kills} kills, which proves nothing`] : [];
  return [...wrong.slice(0, FINDINGS_TOLD), ...proof].map((finding) => `${name}: ${finding}`);
}

/** The faults that careless triggers must be caught at. */
const CAUGHT = {
  'a lost delivery': /^delivery .* has started no run$/,
  'a run without a cause': /^[1-9]\d* runs without a cause of their own$/,
};
const CONTROL_KILLS = 5;
const CONTROL_STALL_MS = 6_000;

/** The negative control: what is not found at careless triggers would not be found at any. Resolves to what was missed. */
export async function judgeCarelessTriggers(
  stage: Pick<Stage, 'programs'>,
  server: StorageServer,
): Promise<string[]> {
  const name = 'careless triggers (must fail)';
  const { wrong } = await runTriggers(stage, server, {
    name,
    wanted_kills: CONTROL_KILLS,
    stall_ms: CONTROL_STALL_MS,
    program: 'careless',
  });
  return Object.entries(CAUGHT)
    .filter(([, pattern]) => !wrong.some((finding) => pattern.test(finding)))
    .map(([what]) => `${name}: ${what} was not found, so the checker proves nothing`);
}
