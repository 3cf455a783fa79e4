import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import type { Failure } from '../node-run.ts';
import type { NodeFinished, NodeRetried, NodeSuspended, StepFinished } from './events.ts';
import { ENDED_WAITING } from './outcome.ts';

/** The stored events of a run: outcomes of nodes, attempts, pauses and steps. */
export type RunFact = NodeFinished | NodeRetried | NodeSuspended | StepFinished;

/** One line of a run's history: a finished node, a failed attempt, or a node that waits for a decision. */
export interface NodeResultRow {
  node_id: string;
  node_label: string;
  node_type: string;
  status: 'success' | 'error' | 'skipped' | 'pending';
  output: Json;
  execution_time_ms: number;
  error: string | null;
  /**
   * `sequence` (1-based order), times, `iteration` inside loops, `steps`, `field` of a failure, `cancelled`, `unresolved_references`, and
   * facts of the node.
   */
  metadata: JsonObject;
}

const rounded = (ms: number): number => Math.max(0, Math.round(ms));

function toTimes(fact: NodeFinished | NodeRetried): JsonObject {
  const { sequence, started_at_ms, ended_at_ms, iteration } = fact;
  const metadata: JsonObject = { sequence, started_at_ms, ended_at_ms };
  if (iteration !== '') metadata['iteration'] = iteration;
  return metadata;
}

/** The parameter that a failure is about, so that clients can point at its field; and whether nothing has gone wrong. */
const pickFailure = (failure: Failure | undefined): JsonObject => ({
  ...(failure?.field === undefined ? {} : { field: failure.field }),
  ...(failure?.kind === 'cancelled' ? { cancelled: true } : {}),
});

const pickUnresolved = ({ unresolved }: NodeFinished): JsonObject =>
  unresolved === undefined
    ? {}
    : { unresolved_references: unresolved.map((reference) => ({ ...reference })) };

function finishedRow(event: NodeFinished): NodeResultRow {
  return {
    node_id: event.node_id,
    node_label: event.node_label,
    node_type: event.node_type,
    status: event.status,
    output: event.output,
    execution_time_ms: rounded(event.execution_time_ms),
    error: event.failure?.message ?? null,
    metadata: {
      ...event.metadata,
      ...toTimes(event),
      ...pickFailure(event.failure),
      ...pickUnresolved(event),
    },
  };
}

function retriedRow(event: NodeRetried): NodeResultRow {
  const { message, details } = event.failure;
  const retry = {
    retry_attempt: event.attempt,
    retry_max_attempts: event.max_attempts,
    retry_wait_seconds: event.wait_ms / 1000,
  };
  return {
    node_id: event.node_id,
    node_label: event.node_label,
    node_type: event.node_type,
    status: 'error',
    output: { ...details, error: message, message, ...retry },
    execution_time_ms: rounded(event.execution_time_ms),
    error: message,
    metadata: { ...toTimes(event), ...pickFailure(event.failure), retry_stage: 'attempt_failed', ...retry },
  };
}

function pendingRow(event: NodeSuspended): NodeResultRow {
  const { sequence, started_at_ms, iteration, suspension } = event;
  const metadata: JsonObject = { sequence, started_at_ms, waits_for: suspension.kind };
  if (iteration !== '') metadata['iteration'] = iteration;
  if (suspension.due_at !== undefined) metadata['due_at_ms'] = suspension.due_at;
  return {
    node_id: event.node_id,
    node_label: event.node_label,
    node_type: event.node_type,
    status: 'pending',
    output: suspension.payload,
    execution_time_ms: 0,
    error: null,
    metadata,
  };
}

/** The row of a single fact. */
export function toRow(fact: Exclude<RunFact, StepFinished>): NodeResultRow {
  switch (fact.type) {
    case 'node_finished':
      return finishedRow(fact);
    case 'node_retried':
      return retriedRow(fact);
    case 'node_suspended':
      return pendingRow(fact);
    default:
      return fact satisfies never;
  }
}

/** Without the called node, which has its own row. */
function getOwnOutput(event: StepFinished): Json {
  if (!calledNode(event) || !isJsonObject(event.output)) return event.output;
  const { called: _, ...output } = event.output;
  return output;
}

/** How a step is shown under its node. */
export function toStep(event: StepFinished): JsonObject {
  const { key, effect, status, failure, attempt, started_at_ms, ended_at_ms } = event;
  return {
    key,
    effect,
    status,
    output: getOwnOutput(event),
    error: failure?.message ?? null,
    attempt,
    started_at_ms,
    ended_at_ms,
    execution_time_ms: rounded(event.execution_time_ms),
  };
}

/** A node called directly by another node, with its own row in the history; part of the outcome of the caller's step. */
export type CalledNode = {
  node_id: string;
  node_label: string;
  node_type: string;
  output: Json;
  error: string | null;
  /** How it was called. */
  invocation: 'sub_agent_tool';
};

/** Guarantee: only `pure` steps contain others, and only called nodes write this entry. */
function calledNode({ effect, output }: StepFinished): CalledNode | undefined {
  if (effect !== 'pure' || !isJsonObject(output) || !isJsonObject(output['called'])) return undefined;
  const called = output['called'] as CalledNode;
  return called.invocation === 'sub_agent_tool' ? called : undefined;
}

function calledRow(fact: StepFinished, called: CalledNode, steps: readonly JsonObject[]): NodeResultRow {
  const { invocation, error, ...node } = called;
  const { sequence, started_at_ms, ended_at_ms, iteration, execution_time_ms } = fact;
  return {
    ...node,
    status: error === null ? 'success' : 'error',
    execution_time_ms: rounded(execution_time_ms),
    error,
    metadata: {
      sequence,
      started_at_ms,
      ended_at_ms,
      ...(iteration === '' ? {} : { iteration }),
      invocation,
      called_by: fact.node_label,
      steps: [...steps],
    },
  };
}

const keyIn = (caller: StepFinished, key: string): string | undefined =>
  key.startsWith(`${caller.key}/`) ? key.slice(caller.key.length + 1) : undefined;

/** Assigns each step to the row of the node that performed it. */
function stepsByRow(facts: readonly StepFinished[]): { own: JsonObject[]; called: NodeResultRow[] } {
  const calls = facts.flatMap((fact) => {
    const called = calledNode(fact);
    return called ? [{ fact, called, steps: [] as JsonObject[] }] : [];
  });
  // Deepest first, so that a step belongs to the node that performed it, not to its callers.
  calls.sort((one, other) => other.fact.key.length - one.fact.key.length);
  const own: JsonObject[] = [];
  for (const fact of facts) {
    const by = calls.find((call) => keyIn(call.fact, fact.key) !== undefined);
    const step = toStep(fact);
    (by?.steps ?? own).push(by ? { ...step, key: keyIn(by.fact, fact.key) ?? fact.key } : step);
  }
  return { own, called: calls.map(({ fact, called, steps }) => calledRow(fact, called, steps)) };
}

const buildPlaceKey = ({ node_id, iteration }: RunFact): string => `${iteration} ${node_id}`;

/** A node that waited when its run was ended by something else than its process, which leaves no fact of it. */
function leftRow(event: NodeSuspended): NodeResultRow {
  const { message } = ENDED_WAITING;
  const row = pendingRow(event);
  const metadata = { ...row.metadata, ...pickFailure(ENDED_WAITING) };
  return { ...row, status: 'error', output: { error: message }, error: message, metadata };
}

/**
 * The history of a run from its facts, in any order. For a node that has waited, the last pause is shown until
 * it ends, at the latest with the run. Steps are in `metadata.steps` of the row of their node. An agent that another one asked
 * has its own row for each call.
 *
 * @param has_ended the run is over, so that no node waits any more
 */
export function historyRows(facts: readonly RunFact[], has_ended = false): NodeResultRow[] {
  const isPlain = facts.every(({ type }) => type === 'node_finished' || type === 'node_retried');
  const sorted = inOrder(facts);
  // Nearly every run: no node of it waits or has steps.
  if (isPlain) return sorted.map((fact) => toRow(fact as NodeFinished | NodeRetried));
  const steps = new Map<string, StepFinished[]>();
  const last = new Map<string, RunFact>();
  for (const fact of sorted) {
    if (fact.type === 'step_finished') {
      const place = buildPlaceKey(fact);
      steps.set(place, [...(steps.get(place) ?? []), fact]);
    } else if (fact.type !== 'node_retried') {
      last.set(buildPlaceKey(fact), fact);
    }
  }
  const shown = new Map(Array.from(steps, ([place, taken]) => [place, stepsByRow(taken)]));
  const rows: NodeResultRow[] = Array.from(shown.values()).flatMap(({ called }) => called);
  for (const fact of sorted) {
    if (fact.type === 'step_finished') continue;
    const isLast = last.get(buildPlaceKey(fact)) === fact;
    if (fact.type === 'node_suspended' && !isLast) continue;
    const row = has_ended && fact.type === 'node_suspended' ? leftRow(fact) : toRow(fact);
    const own = isLast ? shown.get(buildPlaceKey(fact))?.own : undefined;
    rows.push(own ? { ...row, metadata: { ...row.metadata, steps: own } } : row);
  }
  return rows.sort((one, other) => getSequence(one) - getSequence(other));
}

const getSequence = ({ metadata }: NodeResultRow): number => Number(metadata['sequence']);

function inOrder(facts: readonly RunFact[]): readonly RunFact[] {
  for (let at = 1; at < facts.length; at++) {
    if ((facts[at - 1]?.sequence ?? 0) > (facts[at]?.sequence ?? 0)) {
      return [...facts].sort((one, two) => one.sequence - two.sequence);
    }
  }
  return facts;
}
