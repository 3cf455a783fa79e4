import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import { create, type StoreApi, type UseBoundStore } from 'zustand';
import type { Frame } from '../../lib/run/event-frames.ts';
import { type GrowingText, withoutNode, withoutStep, withToken } from '../../lib/run/growing-texts.ts';
import { readNodeStatus } from '../../lib/run/node-status.ts';
import { getRound } from '../../lib/run/rounds.ts';

/** One line of a stream (§6.1), as it comes. */
export interface StreamEvent {
  type: string;
  [key: string]: unknown;
}

export type NodeRunStatus =
  | 'running'
  | 'retrying'
  | 'success'
  | 'error'
  | 'cancelled'
  | 'skipped'
  | 'pending';

/** One result of a node: a loop's body has one per round, a retried node one per failed attempt. */
export interface NodeRecord {
  readonly status: NodeRunStatus;
  readonly output: Json;
  readonly error: string | null;
  readonly started_at_ms: number | undefined;
  readonly execution_time_ms: number;
  readonly message?: string;
  readonly metadata?: Readonly<Record<string, Json>>;
}

export interface NodeRun {
  readonly status: NodeRunStatus;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly started_at_ms: number | undefined;
  readonly records: readonly NodeRecord[];
  /** The node's report on its work meanwhile. */
  readonly progress?: string | undefined;
  /** Steps that it has done since it started. */
  readonly steps: readonly JsonObject[];
}

export type RunPhase = 'idle' | 'starting' | 'running' | 'stopping' | 'ended' | 'lost';

/** Whether a run is under way, so that no second one starts over it. */
export const isBusy = (phase: RunPhase): boolean =>
  phase === 'starting' || phase === 'running' || phase === 'stopping';

export interface RunState {
  readonly phase: RunPhase;
  readonly execution_id: string | undefined;
  readonly status: string | undefined;
  readonly outputs: Json | undefined;
  readonly execution_time_ms: number | undefined;
  /** The input and start time of a run from history; undefined for a run that was followed live. */
  readonly stored: { readonly inputs: Json; readonly started_at: string } | undefined;
  /** Difference between the server's clock and ours, for live durations. */
  readonly clock_skew_ms: number;
  readonly nodes: ReadonlyMap<string, NodeRun>;
  /** The texts that models write at this moment. Apart from the nodes, so that a token changes nothing that reads those. */
  readonly texts: readonly GrowingText[];
  /** Sequence of the last frame, to pick the stream up behind it. */
  readonly last_event_id: string | undefined;
  begin(): void;
  receive(event: StreamEvent, id?: string): void;
  /** Applies several events as one change, so that the canvas is drawn once. */
  receiveAll(frames: readonly Frame<StreamEvent>[]): void;
  setPhase(phase: RunPhase): void;
  /** Shows a stored run instead. */
  show(run: StoredRun): void;
  clear(): void;
}

export interface StoredRun {
  execution_id: string;
  status: string;
  outputs: Json;
  inputs: Json;
  started_at: string;
  execution_time_ms: number;
  node_results: readonly StoredResult[];
}

export interface StoredResult {
  node_id: string;
  status: string;
  output: Json;
  error: string | null;
  execution_time_ms: number;
  metadata?: Record<string, Json>;
}

export type RunStore = UseBoundStore<StoreApi<RunState>>;

const BEFORE: NodeRun = {
  status: 'running',
  attempt: 1,
  max_attempts: 1,
  started_at_ms: undefined,
  records: [],
  steps: [],
};

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const optionalNumber = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;
const json = (value: unknown): Json => (value === undefined ? null : (value as Json));

function toStatus(value: unknown): NodeRunStatus {
  switch (value) {
    case 'success':
    case 'error':
    case 'skipped':
    case 'pending':
      return value;
    default:
      return 'success';
  }
}

function toNodeRecord(event: StreamEvent, started: number | undefined): NodeRecord {
  const metadata = isJsonObject(event['metadata']) ? event['metadata'] : undefined;
  return {
    status: readNodeStatus({ status: toStatus(event['status']), metadata }),
    output: json(event['output']),
    error: typeof event['error'] === 'string' ? event['error'] : null,
    started_at_ms: optionalNumber(event['started_at_ms']) ?? started,
    execution_time_ms: number(event['execution_time_ms']),
    ...(metadata ? { metadata } : {}),
  };
}

function withNode(
  nodes: ReadonlyMap<string, NodeRun>,
  id: string,
  change: (node: NodeRun) => NodeRun,
): ReadonlyMap<string, NodeRun> {
  const next = new Map(nodes);
  next.set(id, change(nodes.get(id) ?? BEFORE));
  return next;
}

/** Adds a result; it takes the place of the pause of the same round, as in history. */
function withRecord({ records }: NodeRun, record: NodeRecord): readonly NodeRecord[] {
  const isOver = (item: NodeRecord) => item.status === 'pending' && getRound(item) === getRound(record);
  return [...records.filter((item) => !isOver(item)), record];
}

/** A retry brings the result of the attempt that failed, as history keeps it. */
function withFailedAttempt(node: NodeRun, event: StreamEvent): readonly NodeRecord[] {
  const failed = event['retry_result'];
  if (typeof failed !== 'object' || failed === null) return node.records;
  return [...node.records, toNodeRecord({ type: 'node_complete', ...failed }, node.started_at_ms)];
}

/** A run that ends at a node leaves the loops around it open. */
function settled(nodes: ReadonlyMap<string, NodeRun>, end: string): ReadonlyMap<string, NodeRun> {
  const stopped = end === 'cancelled' ? end : 'error';
  const next = new Map(nodes);
  for (const [id, node] of nodes) {
    // A run that no process had in memory when it ended leaves the nodes that waited without an event.
    if (node.status === 'pending' && end !== 'pending') {
      const records = node.records.map((record) =>
        record.status === 'pending' ? { ...record, status: 'cancelled' as const } : record,
      );
      next.set(id, { ...node, status: 'cancelled', records });
    }
    if (node.status !== 'running' && node.status !== 'retrying') continue;
    const last = node.records.at(-1);
    if (last === undefined && node.steps.length === 0) next.delete(id);
    else next.set(id, { ...node, status: last?.status ?? stopped, progress: undefined });
  }
  return next;
}

type Change = Partial<Omit<RunState, 'begin' | 'receive' | 'receiveAll' | 'setPhase' | 'show' | 'clear'>>;

/** Applies one frame. Unknown kinds change nothing, so that newer servers do no harm. */
export function applyEvent(
  state: Pick<RunState, 'nodes' | 'texts'>,
  event: StreamEvent,
  nowMs: number,
): Change {
  const id = readText(event['node_id']);
  switch (event.type) {
    case 'execution_started':
      return {
        phase: 'running',
        execution_id: readText(event['execution_id']),
        clock_skew_ms: number(event['server_now_ms']) === 0 ? 0 : number(event['server_now_ms']) - nowMs,
      };
    // The run waits for a file; it is followed by its id like one that was picked up again.
    case 'file_upload_required':
      return { phase: 'running', execution_id: readText(event['slot_id']) };
    case 'node_start':
      return {
        texts: withoutNode(state.texts, id),
        nodes: withNode(state.nodes, id, (node) => ({
          ...node,
          status: 'running',
          attempt: 1,
          progress: undefined,
          steps: [],
          started_at_ms: optionalNumber(event['started_at_ms']) ?? nowMs,
        })),
      };
    case 'node_retry':
      return {
        texts: withoutNode(state.texts, id),
        nodes: withNode(state.nodes, id, (node) => ({
          ...node,
          status: 'retrying',
          attempt: number(event['attempt']),
          max_attempts: number(event['max_attempts']),
          records: withFailedAttempt(node, event),
        })),
      };
    case 'node_progress': {
      const { message, step } = event;
      const shows = typeof message === 'string' ? { progress: message } : {};
      return {
        ...(isJsonObject(step) ? { texts: withoutStep(state.texts, id, step['key']) } : {}),
        nodes: withNode(state.nodes, id, (node) => ({
          ...node,
          ...shows,
          steps: isJsonObject(step) ? [...node.steps, step] : node.steps,
        })),
      };
    }
    case 'node_token':
      return { texts: withToken(state.texts, event) };
    // The row of a node that waits has the same shape as one of a node that is done.
    case 'node_pending':
    case 'node_complete':
      return {
        texts: withoutNode(state.texts, id),
        nodes: withNode(state.nodes, id, (node) => {
          const record = toNodeRecord(event, node.started_at_ms);
          return { ...node, status: record.status, progress: undefined, records: withRecord(node, record) };
        }),
      };
    case 'execution_complete':
      return {
        phase: 'ended',
        // A node that was stopped has no event of its own.
        texts: [],
        nodes: settled(state.nodes, readText(event['status'])),
        status: readText(event['status']),
        outputs: json(event['outputs']),
        execution_time_ms: number(event['execution_time_ms']),
      };
    default:
      return {};
  }
}

const EMPTY = {
  phase: 'idle' as RunPhase,
  execution_id: undefined,
  status: undefined,
  outputs: undefined,
  execution_time_ms: undefined,
  stored: undefined,
  clock_skew_ms: 0,
  nodes: new Map<string, NodeRun>(),
  texts: [] as readonly GrowingText[],
  last_event_id: undefined,
};

/** The run that the canvas shows: a projection of the frames of one stream, or of a stored run. */
export function createRunStore(now: () => number = Date.now): RunStore {
  return create<RunState>()((set, get) => ({
    ...EMPTY,
    begin: () => set({ ...EMPTY, phase: 'starting' }),
    receive: (event, id) => get().receiveAll([{ event, id }]),
    receiveAll: (frames) =>
      set((before) => {
        const state = { ...before };
        for (const { event, id } of frames)
          Object.assign(
            state,
            applyEvent(state, event, now()),
            id === undefined ? {} : { last_event_id: id },
          );
        return state;
      }),
    setPhase: (phase) => set({ phase }),
    show(run) {
      const nodes = new Map<string, NodeRun>();
      for (const result of run.node_results) {
        const record = toNodeRecord(
          { type: 'node_complete', ...result },
          optionalNumber(result.metadata?.['started_at_ms']),
        );
        const before = nodes.get(result.node_id) ?? BEFORE;
        nodes.set(result.node_id, { ...before, status: record.status, records: [...before.records, record] });
      }
      const { execution_id, status, outputs, execution_time_ms, inputs, started_at } = run;
      const stored = { inputs, started_at };
      set({ ...EMPTY, phase: 'ended', execution_id, status, outputs, execution_time_ms, stored, nodes });
    },
    clear: () => set(EMPTY),
  }));
}

/** The newest result of a node that has one. */
export function lastRecord(run: NodeRun | undefined): NodeRecord | undefined {
  return run?.records.at(-1);
}
