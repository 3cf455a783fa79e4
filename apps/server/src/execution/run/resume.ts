import type { NodeFinished, RecordedResult } from '@millrace/engine';
import type { StoredRun, StoredWait } from '../journal/journal.ts';
import type { StampedRecord } from '../stream/frames.ts';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';

/** What a former process did of a run. */
export interface Progress {
  /** Rows that stand. */
  readonly records: readonly StampedRecord[];
  /** Rows that this process adds before it goes on: results of pauses that were decided meanwhile. */
  readonly decided: readonly NodeFinished[];
  readonly attempt: number;
  readonly last_sequence: number;
  recorded(node_id: string, iteration: string): RecordedResult | undefined;
  firstStart(node_id: string, iteration: string): number | undefined;
}

const keyOf = (node_id: string, iteration: string): string => `${iteration} ${node_id}`;

/** A row that the mask changed is recomputed where that is harmless, so that nodes behind it see the real value. */
function stands(record: StampedRecord, { version }: PublishedWorkflow): boolean {
  if (record.masked !== true) return true;
  const node = version.graph.nodes[version.graph.indexOf(record.node_id)];
  return node === undefined || (node.effect !== 'pure' && node.effect !== 'read');
}

function decidedRow(wait: StoredWait, { version }: PublishedWorkflow): NodeFinished | undefined {
  if (!wait.decision) return undefined;
  const node = version.graph.nodes[version.graph.indexOf(wait.node_id)];
  const { result, decided_at_ms } = wait.decision;
  return {
    type: 'node_finished',
    node_id: wait.node_id,
    node_label: node?.label ?? wait.node_id,
    node_type: node?.type ?? 'unknown',
    iteration: wait.iteration,
    status: 'success',
    // A pause that ended by its due time has no result of its own.
    output: result ?? wait.payload,
    ports: ['output'],
    sequence: wait.sequence,
    attempt: wait.attempt,
    started_at_ms: wait.started_at_ms,
    ended_at_ms: decided_at_ms,
    execution_time_ms: decided_at_ms - wait.started_at_ms,
  };
}

/** Reads what stands of a stored run and what has to be done again. */
export function progressOf(stored: StoredRun, workflow: PublishedWorkflow): Progress {
  const records = (stored.records as readonly StampedRecord[]).filter((record) => stands(record, workflow));
  const known = new Map<string, RecordedResult>();
  for (const record of records) {
    if (record.type === 'node_finished') known.set(keyOf(record.node_id, record.iteration), record);
  }
  const decided = stored.waits.flatMap((wait) => {
    const row = known.has(keyOf(wait.node_id, wait.iteration)) ? undefined : decidedRow(wait, workflow);
    return row ? [row] : [];
  });
  for (const row of decided) known.set(keyOf(row.node_id, row.iteration), row);
  const starts = new Map(
    stored.intents.map((intent) => [keyOf(intent.node_id, intent.iteration), intent.started_at_ms]),
  );
  const sequences = [...stored.records, ...stored.waits].map(({ sequence }) => sequence);
  return {
    records,
    decided,
    attempt: stored.attempt,
    last_sequence: sequences.reduce((most, sequence) => Math.max(most, sequence), 0),
    recorded: (node_id, iteration) => known.get(keyOf(node_id, iteration)),
    firstStart: (node_id, iteration) => starts.get(keyOf(node_id, iteration)),
  };
}
