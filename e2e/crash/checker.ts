import { childrenOf, effectsOf, type Kind, orderOf, outputOf } from './graphs.ts';
import type { Sink } from './services/sink.ts';
import type { Sql } from './services/sql.ts';
import { OWNERS_LOG } from './takeovers.ts';
import type { Admitted } from './workload.ts';

/** Counts how often each run was ended, also when that was once too often, and notes who owned it when. */
export async function installCounters(sql: Sql): Promise<void> {
  const ends = `
    CREATE TABLE crash_ends (run_id uuid PRIMARY KEY, count integer NOT NULL);
    CREATE FUNCTION count_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO crash_ends VALUES (NEW.id, 1) ON CONFLICT (run_id) DO UPDATE SET count = crash_ends.count + 1;
      RETURN NULL;
    END $$;
    CREATE TRIGGER count_end AFTER INSERT OR UPDATE ON runs FOR EACH ROW WHEN (NEW.state = 3) EXECUTE FUNCTION count_end();`;
  await sql.query(ends + OWNERS_LOG);
}

/** What must not be, as what was found: each with the run that it was found at. */
export interface Findings {
  /** Accepted runs that are not there or have not ended. */
  readonly lost: string[];
  /** Runs that ended more than once, that are there more than once, effects that happened more than once. */
  readonly doubled: string[];
  /** Outputs, answers, order of nodes, or rows that lead nowhere. */
  readonly wrong: string[];
}

export interface Verdict extends Findings {
  readonly accepted: number;
  /** Given up after their process was lost repeatedly. */
  parked: number;
  /** Ended by the policy for effects of which nobody knows whether they happened. */
  unknown_outcome: number;
  /** Effects that happened, and requests that were sent for them. */
  applied: number;
  sent: number;
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
  readonly steps: { record: string }[] | null;
}

const RUNS = `SELECT r.id, r.state, r.status, r.outputs, r.outcome, r.records,
  (r.input::json) #>> '{body,label}' AS label, e.count AS ends,
  (SELECT json_agg(json_build_object('record', s.record)) FROM steps s WHERE s.run_id = r.id AND s.kind = 'done') AS steps
  FROM runs r LEFT JOIN crash_ends e ON e.run_id = r.id`;

const STRAYS = `SELECT 'step without a run' AS what FROM steps s WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = s.run_id)
  UNION ALL SELECT 'run that has not ended: ' || ((input::json) #>> '{body,label}') FROM runs WHERE state < 3
  UNION ALL SELECT 'decision for a run that is over' FROM waits w JOIN runs r ON r.id = w.run_id WHERE r.state = 3 AND NOT w.applied`;

/** A row as it is stored: by place, the node first and its number in the run sixth. */
type StoredRow = readonly [node_id: string, ...behind: unknown[]];
const SEQUENCE = 5;

/** A text that names values which stand elsewhere begins with this; no such value matters here. */
const REFERENCES = /^@/;

const rowsIn = (text: string): unknown => JSON.parse(text.replace(REFERENCES, ''));

/** Nodes in the order in which they finished. */
function orderIn(run: EndedRun): string {
  const rows = [
    ...(run.steps ?? []).map(({ record }) => rowsIn(record) as StoredRow),
    ...(rowsIn(run.records ?? '[]') as StoredRow[]),
  ];
  const sorted = rows.toSorted((a, b) => Number(a[SEQUENCE]) - Number(b[SEQUENCE]));
  return sorted.map(([node_id]) => node_id).join();
}

class Judge {
  readonly verdict: Verdict;
  readonly #runs: Map<string, EndedRun[]>;
  readonly #sink: Sink;

  constructor(runs: readonly EndedRun[], sink: Sink, accepted: number) {
    this.#sink = sink;
    this.#runs = new Map();
    for (const run of runs) this.#runs.set(run.label, [...(this.#runs.get(run.label) ?? []), run]);
    const twice = runs.filter(({ state, ends }) => state === 3 && ends !== 1);
    const doubled = twice.map(({ label, ends }) => `${label} ended ${ends} times`);
    const counts = { parked: 0, unknown_outcome: 0, applied: 0, sent: 0 };
    this.verdict = { accepted, lost: [], doubled, wrong: [], ...counts };
  }

  /** The accepted run, what the caller was told of it, and all that it has started. */
  judge({ label, kind, told }: Admitted): void {
    if (told === 'nothing') {
      this.verdict.wrong.push(`${label} was asked for again and again and never answered`);
      return;
    }
    const run = this.#judgeRun(label, kind);
    if (!run) return;
    if (told) this.#judgeAnswer(run, kind, told);
    if (run.status === 'success') for (const child of childrenOf(label, kind)) this.#judgeRun(child, 'child');
  }

  #judgeRun(label: string, kind: Kind | 'child'): EndedRun | undefined {
    const { lost, doubled } = this.verdict;
    const [run, ...more] = this.#runs.get(label) ?? [];
    if (more.length > 0) doubled.push(`${label} is ${more.length + 1} runs`);
    if (run?.state !== 3) {
      lost.push(label);
      return undefined;
    }
    this.#judgeEnd(run, kind);
    for (const name of effectsOf(label, kind)) this.#judgeEffect(run, kind, name);
    return run;
  }

  #judgeEnd(run: EndedRun, kind: Kind | 'child'): void {
    const { verdict } = this;
    const reason = `${run.outcome ?? ''}${run.outputs ?? ''}`;
    if (run.status === 'success') {
      const outputs = JSON.parse(run.outputs ?? 'null') as { out?: { result?: unknown } };
      if (outputs.out?.result !== outputOf(run.label, kind))
        verdict.wrong.push(`${run.label} put out ${run.outputs}`);
      if (orderIn(run) !== orderOf(kind)) verdict.wrong.push(`${run.label} went ${orderIn(run)}`);
    } else if (reason.includes('worker_lost')) verdict.parked += 1;
    else if (kind === 'unsafe' && reason.includes('outcome_unknown')) verdict.unknown_outcome += 1;
    else verdict.wrong.push(`${run.label} ended as ${run.status}: ${reason}`);
  }

  /** With a key exactly once, without one never twice; a run that succeeded has had all its effects. */
  #judgeEffect(run: EndedRun, kind: Kind | 'child', name: string): void {
    const { verdict } = this;
    const { applied, attempts, keys } = this.#sink.effects.get(name) ?? {
      applied: 0,
      attempts: 0,
      keys: new Set(),
    };
    verdict.applied += applied;
    verdict.sent += attempts;
    if (applied > 1 || keys.size > 1)
      verdict.doubled.push(`${name} happened ${applied} times under ${keys.size} keys`);
    if (kind !== 'unsafe' && attempts > 0 && keys.has(null)) verdict.wrong.push(`${name} came without a key`);
    if (run.status === 'success' && applied === 0) verdict.wrong.push(`${name} never happened`);
  }

  #judgeAnswer(run: EndedRun, kind: Kind, told: { run_id: string; body: string }): void {
    const { status, outputs } = JSON.parse(told.body) as {
      status: string;
      outputs: { out?: { result?: string } };
    };
    const isRight =
      status === run.status && (status !== 'success' || outputs.out?.result === outputOf(run.label, kind));
    if (told.run_id === run.id && isRight) return;
    this.verdict.wrong.push(
      `${run.label} (${run.id}, ${run.status}) was answered by ${told.run_id}: ${told.body}`,
    );
  }
}

/** Compares the database and the outside world with what must be true after any crash. */
export async function check(sql: Sql, admitted: readonly Admitted[], sink: Sink): Promise<Verdict> {
  const judge = new Judge(await sql.query<EndedRun>(RUNS), sink, admitted.length);
  for (const run of admitted) judge.judge(run);
  const strays = await sql.query<{ what: string }>(STRAYS);
  judge.verdict.wrong.push(...strays.map(({ what }) => what));
  return judge.verdict;
}

export const findingsOf = ({ lost, doubled, wrong }: Findings): string[] => [
  ...lost.map((label) => `${label} is lost`),
  ...doubled,
  ...wrong,
];
