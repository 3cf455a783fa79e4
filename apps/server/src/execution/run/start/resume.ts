import type { RecordedResult, RunFact } from '@millrace/engine';
import type { StoredRun } from '../../model/run.ts';
import type { StampedRecord } from '../../model/step.ts';
import type { PublishedWorkflow } from '../../workflows/published-workflow.ts';
import { GlobalWrites } from '../end/global-writes.ts';
import { StepBook } from '../node/steps/step-book.ts';
import { openDecision, openFact } from '../secrets/sealed-result.ts';
import type { LoggedVault } from '../secrets/vault.ts';
import { isWrittenElsewhere } from './reuse.ts';

/** The progress that a former process made on a run. */
export interface Progress {
  /** Rows that stand. */
  readonly records: readonly StampedRecord[];
  /** The values that the rows leave in global variables. */
  readonly global_writes: GlobalWrites;
  /** Goes by the real values of the rows. */
  readonly book: StepBook;
  readonly attempt: number;
  readonly last_sequence: number;
  /** A result that nothing may make again, or a decision, is masked, and the key that sealed it is not configured any more. */
  readonly is_unreadable: boolean;
  recorded(node_id: string, iteration: string): RecordedResult | undefined;
  firstStart(node_id: string, iteration: string): number | undefined;
}

const buildKey = (node_id: string, iteration: string): string => `${iteration} ${node_id}`;

/**
 * Whether a row of which only the masked form is left is taken for the result. Where that is harmless the node or the step
 * runs again, so that nodes behind it see the real value.
 */
function standsMasked(record: StampedRecord, { version }: PublishedWorkflow): boolean {
  if (record.type === 'step_finished') return record.effect !== 'pure' && record.effect !== 'read';
  const node = version.graph.nodes[version.graph.indexOf(record.node_id)];
  return node === undefined || (node.effect !== 'pure' && node.effect !== 'read');
}

/** Reads what is kept of a stored run and what has to be done again. */
export function readProgress(vault: LoggedVault, stored: StoredRun, workflow: PublishedWorkflow): Progress {
  const records: StampedRecord[] = [];
  const facts: RunFact[] = [];
  const known = new Map<string, RecordedResult>();
  const global_writes = new GlobalWrites();
  let is_unreadable = false;
  for (const record of stored.records as readonly StampedRecord[]) {
    const fact = openFact(vault, stored.begin.run_id, record);
    if (!fact && !standsMasked(record, workflow)) continue;
    is_unreadable ||= !fact && record.sealed !== undefined;
    records.push(record);
    const real = fact ?? record;
    facts.push(real);
    if (real.type !== 'node_finished') continue;
    known.set(buildKey(real.node_id, real.iteration), real);
    if (!isWrittenElsewhere(real)) global_writes.take(real.variables ?? []);
  }
  const { run_id } = stored.begin;
  const waits = stored.waits.map(({ decision, ...wait }) => {
    if (!decision) return wait;
    const opened = openDecision(vault, run_id, decision);
    is_unreadable ||= opened.data === null && decision.data !== null;
    return { ...wait, decision: opened };
  });
  const starts = new Map<string, number>();
  for (const { node_id, iteration, started_at_ms } of [...stored.intents, ...stored.waits, ...records]) {
    const key = buildKey(node_id, iteration);
    starts.set(key, Math.min(started_at_ms, starts.get(key) ?? Infinity));
  }
  const sequences = [...stored.records, ...stored.waits].map(({ sequence }) => sequence);
  return {
    records,
    book: new StepBook(facts, waits),
    global_writes,
    attempt: stored.attempt,
    is_unreadable,
    last_sequence: sequences.reduce((most, sequence) => Math.max(most, sequence), 0),
    recorded: (node_id, iteration) => known.get(buildKey(node_id, iteration)),
    firstStart: (node_id, iteration) => starts.get(buildKey(node_id, iteration)),
  };
}
