import { stateName } from '../../../apps/server/src/execution/store/run-state.ts';
import { COUNTER, SECRET } from '../graphs/graphs.ts';
import { getGraphKind, type Kind } from '../kinds.ts';
import type { Admitted, CallbackAnswer, Told } from '../load/workload.ts';
import { newEffect, type Sink } from '../services/sink.ts';
import type { Sql } from '../services/sql.ts';
import { OWNERS_LOG } from './takeovers.ts';

/** Counts how often each run was ended, also when that was once too often, and notes who owned it when. */
export async function installCounters(sql: Sql): Promise<void> {
  const ends = `
    CREATE TABLE crash_ends (run_id uuid PRIMARY KEY, count integer NOT NULL);
    CREATE FUNCTION count_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO crash_ends VALUES (NEW.id, 1) ON CONFLICT (run_id) DO UPDATE SET count = crash_ends.count + 1;
      RETURN NULL;
    END $$;
    CREATE TRIGGER count_end AFTER INSERT ON runs FOR EACH ROW WHEN (NEW.state = 3) EXECUTE FUNCTION count_end();
    -- That the error workflow of a parked run was started is noted in its row, and is no end.
    CREATE TRIGGER count_end_again AFTER UPDATE ON runs FOR EACH ROW
      WHEN (NEW.state = 3 AND NOT (OLD.error_run_due IS TRUE AND NEW.error_run_due IS NULL)) EXECUTE FUNCTION count_end();`;
  await sql.query(ends + OWNERS_LOG);
}

/** Findings of what must not be: each with the run that it was found at. */
export interface Findings {
  /** Accepted runs that are not there or have not ended. */
  readonly lost: string[];
  /** Runs that ended more than once, that are there more than once, effects that happened more than once. */
  readonly doubled: string[];
  /** Outputs, answers, order of nodes, counters, secrets in clear, or rows that lead nowhere. */
  readonly wrong: string[];
}

export interface Verdict extends Findings {
  readonly accepted: number;
  /** Given up after their process was lost repeatedly. */
  parked: number;
  /** Ended by the policy for effects with an unknown outcome. */
  unknown_outcome: number;
  /** Effects that happened, and requests that were sent for them. */
  applied: number;
  sent: number;
  /** Calls of language models beyond those that runs needed: each was under way when its process ended. */
  model_calls_again: number;
}

interface EndedRun {
  readonly id: string;
  readonly state: number;
  readonly status: string;
  readonly outputs: string | null;
  readonly outcome: string | null;
  readonly records: string | null;
  readonly label: string;
  readonly ends: number | null;
  /** How often a process began to work on it. */
  readonly turns: number;
  readonly steps: { record: string; claim: number | null }[] | null;
}

/** An error workflow is named by its input. */
const RUNS = `SELECT r.id, r.state, r.status, r.outputs, r.outcome, r.records,
  coalesce((r.input::json) #>> '{body,label}', (r.input::json) #>> '{body,error}') AS label, e.count AS ends,
  (SELECT json_agg(json_build_object('record', s.record, 'claim', s.claim)) FROM steps s WHERE s.run_id = r.id AND s.kind = 'done') AS steps,
  (SELECT count(*)::int FROM crash_owners o WHERE o.run_id = r.id AND o.owner IS NOT NULL AND o.state = 1) AS turns
  FROM runs r LEFT JOIN crash_ends e ON e.run_id = r.id WHERE r.id > $1 ORDER BY r.id LIMIT $2`;
const PAGE = 2_000;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

const STRAYS = `SELECT 'step without a run' AS what FROM steps s WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = s.run_id)
  UNION ALL SELECT 'run that has not ended: ' || coalesce((input::json) #>> '{body,label}', id::text) FROM runs WHERE state < 3
  UNION ALL SELECT 'decision for a run that is over' FROM waits w JOIN runs r ON r.id = w.run_id WHERE r.state = 3 AND NOT w.applied`;

/** A row as it is stored: by place, the node first, how it ended fifth, its number in the run sixth. */
type StoredRow = readonly [node_id: string, ...behind: unknown[]];
const STATUS = 4;
const SEQUENCE = 5;
/** Rows of attempts, pauses and steps, which stand beside the row of their node. */
const NOT_AN_END: ReadonlySet<unknown> = new Set(['retried', 'paused', 'step', 'failed_step']);

/** A text that names values which stand elsewhere begins with this; no such value matters here. */
const REFERENCES = /^@/;

const rowsIn = (text: string): unknown => JSON.parse(text.replace(REFERENCES, ''));

/** Nodes in the order in which they finished. */
function orderIn(run: EndedRun): string {
  const rows = [
    ...(run.steps ?? []).map(({ record }) => rowsIn(record) as StoredRow),
    ...(rowsIn(run.records ?? '[]') as StoredRow[]),
  ];
  const sorted = rows
    .filter((row) => !NOT_AN_END.has(row[STATUS]))
    .toSorted((a, b) => Number(a[SEQUENCE]) - Number(b[SEQUENCE]));
  return sorted.map(([node_id]) => node_id).join();
}

/** Under which claim of the run each row was stored, and its number: what tells which process wrote rows out of order. */
function claimsIn(run: EndedRun): string {
  const steps = (run.steps ?? []).map(({ record, claim }) => {
    const row = rowsIn(record) as StoredRow;
    return `${row[0]} ${String(row[SEQUENCE])} of claim ${claim}`;
  });
  const final = (rowsIn(run.records ?? '[]') as StoredRow[]).map(
    (row) => `${row[0]} ${String(row[SEQUENCE])}`,
  );
  return `${steps.join(', ')}; with the end: ${final.join(', ')}`;
}

interface Outputs {
  readonly out?: { readonly result?: unknown };
  readonly error?: string;
}

const describeOutcome = ({ outcome, outputs }: EndedRun) => `${outcome ?? ''}${outputs ?? ''}`;
/** Given up: its process was lost repeatedly, or it was given back repeatedly without getting further. */
const isParked = (run: EndedRun) => /"(worker_lost|no_progress)"/.test(describeOutcome(run));

/** Every run, with all that belongs to it, a page at a time. */
async function readRuns(sql: Sql): Promise<EndedRun[]> {
  const runs: EndedRun[] = [];
  for (;;) {
    const page = await sql.query<EndedRun>(RUNS, [runs.at(-1)?.id ?? BEFORE_ALL, PAGE]);
    runs.push(...page);
    if (page.length < PAGE) return runs;
  }
}

class Judge {
  readonly verdict: Verdict;
  readonly #runs: Map<string, EndedRun[]>;
  readonly #sink: Sink;
  readonly #model_calls: Claims['model_calls'];
  #counted = 0;

  constructor(runs: readonly EndedRun[], { admitted, sink, model_calls }: Claims) {
    this.#sink = sink;
    this.#model_calls = model_calls;
    this.#runs = new Map();
    for (const run of runs) this.#runs.set(run.label, [...(this.#runs.get(run.label) ?? []), run]);
    const twice = runs.filter(({ state, ends }) => state === 3 && ends !== 1);
    const doubled = twice.map(({ label, ends }) => `${label} ended ${ends} times`);
    const counts = { parked: 0, unknown_outcome: 0, applied: 0, sent: 0, model_calls_again: 0 };
    this.verdict = { accepted: admitted.length, lost: [], doubled, wrong: [], ...counts };
  }

  /** Runs that incremented the global variable. */
  get counted(): number {
    return this.#counted;
  }

  /** The accepted run, the answer to its caller, and all that it has started. */
  judge({ label, kind, told }: Admitted, answers: readonly CallbackAnswer[] | undefined): void {
    const run = this.#judgeRun(label, kind);
    if (!run) return;
    if (answers) this.#judgeDecision(run, answers);
    for (const answer of told) this.#judgeAnswer(run, kind, answer);
    if (run.status !== (getGraphKind(kind).ends ?? 'success')) return;
    for (const child of getGraphKind(kind).children?.(label) ?? [])
      this.#judgeRun(child, (getGraphKind(kind).children_are ?? 'child') as Kind);
    if (kind === 'failing' && !isParked(run)) this.#judgeRun(getGraphKind(kind).output(label), 'handler');
  }

  #judgeRun(label: string, kind: Kind): EndedRun | undefined {
    const { lost, doubled } = this.verdict;
    const [run, ...more] = this.#runs.get(label) ?? [];
    if (more.length > 0) doubled.push(`${label} is ${more.length + 1} runs`);
    if (run?.state !== 3) {
      lost.push(`${label} (${kind}, ${run ? stateName(run.state) : 'not stored'})`);
      return undefined;
    }
    this.#judgeEnd(run, kind);
    for (const name of getGraphKind(kind).effects?.(label) ?? []) this.#judgeEffect(run, kind, name);
    this.#judgeModelCalls(run, kind);
    return run;
  }

  /** An answer that was stored is never paid for twice: only the call that a process had under way at its end comes again. */
  #judgeModelCalls(run: EndedRun, kind: Kind): void {
    const { model_calls: needed } = getGraphKind(kind);
    if (needed === undefined) return;
    const made = this.#model_calls.get(run.label) ?? 0;
    const again = made - needed;
    if (again > Math.max(0, run.turns - 1))
      this.verdict.doubled.push(`${run.label} made ${made} model calls in ${run.turns} turns, not ${needed}`);
    if (run.status === 'success' && again < 0)
      this.verdict.wrong.push(`${run.label} made ${made} model calls instead of ${needed}`);
    this.verdict.model_calls_again += Math.max(0, again);
  }

  #judgeEnd(run: EndedRun, kind: Kind): void {
    const { verdict } = this;
    const { ends = 'success', keyless } = getGraphKind(kind);
    if (isParked(run)) verdict.parked += 1;
    else if (run.status === ends) this.#judgeResult(run, kind);
    else if (keyless && describeOutcome(run).includes('outcome_unknown')) verdict.unknown_outcome += 1;
    else verdict.wrong.push(`${run.label} ended as ${run.status}: ${describeOutcome(run)}`);
  }

  #judgeResult(run: EndedRun, kind: Kind): void {
    const { wrong } = this.verdict;
    const { ends, order, output, beside } = getGraphKind(kind);
    if (ends === 'cancelled') return;
    if (kind === 'global') this.#counted += 1;
    const { out, error } = JSON.parse(run.outputs ?? '{}') as Outputs;
    const result = ends === 'error' ? (error ?? out?.result) : out?.result;
    if (result !== output(run.label)) wrong.push(`${run.label} put out ${run.outputs}`);
    const went = orderIn(run);
    // Once, at any place.
    const counted = beside === undefined ? went : went.replace(`,${beside},`, ',').replace(`,${beside}`, '');
    if (counted !== order) wrong.push(`${run.label} went ${went} in ${run.turns} turns: ${claimsIn(run)}`);
  }

  /** Of several calls one decides, and it is that which the run continues with, however often it is resumed. */
  #judgeDecision(run: EndedRun, answers: readonly CallbackAnswer[]): void {
    const { doubled, lost, wrong } = this.verdict;
    const accepted = answers.filter(({ outcome }) => outcome === 'accepted').map(({ answer }) => answer);
    const used = [...(this.#sink.effects.get(`${run.label}/act`)?.answers ?? [])];
    if (accepted.length > 1) doubled.push(`${run.label} accepted ${accepted.length} decisions`);
    if (used.length > 1) doubled.push(`${run.label} continued with ${used.join(' and ')}`);
    const [answer] = accepted;
    if (answer !== undefined && run.status === 'success' && used[0] !== answer)
      lost.push(`the decision ${answer} of ${run.label}, which continued with ${used[0]}`);
    for (const { outcome } of answers)
      if (outcome.startsWith('not')) wrong.push(`a call to the address of ${run.label} was ${outcome}`);
  }

  /** With a key exactly once, without one never twice; a run that succeeded has had all its effects. */
  #judgeEffect(run: EndedRun, kind: Kind, name: string): void {
    const { verdict } = this;
    const { applied, attempts, keys, wrong_secrets } = this.#sink.effects.get(name) ?? newEffect();
    verdict.applied += applied;
    verdict.sent += attempts;
    if (applied > 1 || keys.size > 1)
      verdict.doubled.push(`${name} happened ${applied} times under ${keys.size} keys`);
    if (wrong_secrets > 0) verdict.wrong.push(`${name} came with a wrong secret`);
    if (!getGraphKind(kind).keyless && attempts > 0 && keys.has(null))
      verdict.wrong.push(`${name} came without a key`);
    const { ends = 'success' } = getGraphKind(kind);
    if (ends !== 'cancelled' && run.status === ends && !isParked(run) && applied === 0)
      verdict.wrong.push(`${name} never happened`);
  }

  #judgeAnswer(run: EndedRun, kind: Kind, told: Told | 'nothing'): void {
    if (told === 'nothing') {
      this.verdict.wrong.push(`${run.label} was asked for again and again and never answered`);
      return;
    }
    const { status, outputs } = JSON.parse(told.body) as { status: string; outputs: Outputs };
    const isPending = getGraphKind(kind).waits === true && status === 'pending';
    const isRight =
      (isPending || status === run.status) &&
      (status !== 'success' || outputs.out?.result === getGraphKind(kind).output(run.label));
    if (told.run_id === run.id && isRight) return;
    this.verdict.wrong.push(
      `${run.label} (${run.id}, ${run.status}) was answered by ${told.run_id}: ${told.body}`,
    );
  }
}

/** Increments are neither lost nor made twice: the counter says how many runs succeeded. */
async function wrongCounter(sql: Sql, counted: number): Promise<string[]> {
  const [row] = await sql.query<{ value: string }>(
    `SELECT value::text AS value FROM global_variables WHERE name = '${COUNTER}'`,
  );
  const value = Number(row?.value ?? 0);
  return value === counted ? [] : [`${counted} runs incremented a global variable to ${row?.value}`];
}

/** Tables that contain a secret in clear. */
async function leaks(sql: Sql): Promise<string[]> {
  const tables = await sql.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const text = `SELECT count(*)::int AS count FROM "${name}" t WHERE strpos(t::text, $1) > 0`;
    const [row] = await sql.query<{ count: number }>(text, [SECRET]);
    if (row && row.count > 0) found.push(`${row.count} rows of ${name} have a secret in clear`);
  }
  return found;
}

/** The claims of the harness: everything that it has seen from outside. */
export interface Claims {
  readonly admitted: readonly Admitted[];
  /** Of runs that ask: the answers to the callers of their addresses, by label. */
  readonly answers: ReadonlyMap<string, readonly CallbackAnswer[]>;
  readonly sink: Sink;
  /** By the label of the run. */
  readonly model_calls: ReadonlyMap<string, number>;
}

/** Compares the database and the outside world with what must be true after any crash. */
export async function check(sql: Sql, claims: Claims): Promise<Verdict> {
  const { admitted, answers } = claims;
  const judge = new Judge(await readRuns(sql), claims);
  for (const run of admitted) judge.judge(run, answers.get(run.label));
  const strays = await sql.query<{ what: string }>(STRAYS);
  judge.verdict.wrong.push(...strays.map(({ what }) => what));
  judge.verdict.wrong.push(...(await wrongCounter(sql, judge.counted)), ...(await leaks(sql)));
  return judge.verdict;
}

export const listFindings = ({ lost, doubled, wrong }: Findings): string[] => [
  ...lost.map((label) => `${label} is lost`),
  ...doubled,
  ...wrong,
];
