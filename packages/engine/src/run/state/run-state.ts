import type { Json, JsonObject } from '../../json.ts';
import type { CompiledWorkflow } from '../../workflow/compiled.ts';
import { MAX_RUN_CHARACTERS, WriteBudget } from '../bounds.ts';
import type { Failure } from '../node-run.ts';
import type { RunOptions } from '../options.ts';
import type { FailedNode, RecordedResult, RunEvent } from '../record/events.ts';
import { nodesBehind, type RunPart, selectPart } from './part.ts';
import { WriteLog } from './write-log.ts';

/** The known state of an edge. */
export const UNDECIDED = 0;
export const LIVE = 1;
export const DEAD = 2;

/** The state of a node in its present round. */
export const WAITING = 0;
export const READY = 1;
export const RUNNING = 2;
export const SUSPENDED = 3;
/** A loop node between its first round and its end. */
export const LOOPING = 4;
export const DONE = 5;
export const SKIPPED = 6;
export const FAILED = 7;

/** A loop that has been entered. */
export interface LoopRun {
  items: readonly Json[];
  /** Round that runs, counted from 0. */
  index: number;
  results: Json[];
  /** Iteration of the loop node itself. */
  outer: string;
  /** Iteration of the nodes in the present round. */
  key: string;
  /** Own body nodes that have not settled in this round. */
  open: number;
  attempt: number;
  started_at_ms: number;
}

export interface RunFailure {
  failure: Failure;
  /** Null for failures of the run as a whole. */
  node: FailedNode | null;
  sequence: number;
}

/** Attempt and start of a node that runs or is suspended. */
export interface Attempt {
  attempt: number;
  started_at_ms: number;
}

/** A node at its first wait in a round. */
export interface PausedNode {
  /** The payload that it showed. */
  readonly payload: JsonObject;
  /** When it first began in this round, in epoch milliseconds. */
  readonly started_at_ms: number;
}

/** The stored part of a run that is resumed. */
export interface History {
  recorded?: ((node_id: string, iteration: string) => RecordedResult | undefined) | undefined;
  paused?: ((node_id: string, iteration: string) => PausedNode | undefined) | undefined;
}

/**
 * Everything that changes in a run. Arrays are indexed as in the compiled workflow; the functions of this folder
 * are the only ones that write here.
 */
export interface RunState {
  readonly workflow: CompiledWorkflow;
  readonly options: RunOptions;
  readonly nodes: Uint8Array;
  readonly edges: Uint8Array;
  /** Undecided edges that each node waits for. */
  readonly pending: Int32Array;
  /** Live edges among the decided ones. */
  readonly live: Int32Array;
  /** Output in the present round; undefined before the node has settled and when it was skipped. */
  readonly outputs: (Json | undefined)[];
  readonly loops: (LoopRun | undefined)[];
  /** Nodes that decisions have closed although other parents lead to them, with the nodes that decided so. */
  readonly closed: Map<number, Set<number>>;
  /** The same for nodes that follow the failures of several nodes, with those of them that did not fail. */
  readonly closed_until_failure: Map<number, Set<number>>;
  /** Nodes that failed and continued at their `error` handle. */
  readonly caught: Set<number>;
  readonly attempts: Map<number, Attempt>;
  /** Nodes that may start, and how many of them have been taken. */
  ready: number[];
  taken: number;
  /** Nodes whose edges are all decided, and loops (as `-1 - loop`) whose round has ended. */
  work: number[];
  events: RunEvent[];
  delivered: number;
  running: number;
  /** Nodes that wait for a decision. */
  suspended: number[];
  /** The payload that each node showed at its first wait in the present round. */
  readonly pauses: Map<number, JsonObject>;
  sequence: number;
  executions: number;
  /** Number of unresolved references. */
  unresolved: number;
  budget: WriteBudget;
  flow: 'main' | 'error';
  /** No new nodes start, because of a failure. */
  stopping: boolean;
  failures: RunFailure[];
  /** Why the run ends with an error although no node failed (`failing_port`). */
  shortfall: RunFailure | undefined;
  /** Variables that nodes have set. */
  variables: WriteLog;
  /** Nodes that other nodes have made inactive. */
  disabled: WriteLog;
  answered: boolean;
  started: boolean;
  finished: boolean;
  started_at_ms: number;
  recorded: History['recorded'];
  readonly part: RunPart | undefined;
  /** Indexes of the nodes of the main flow that may start; undefined: all. */
  readonly among: ReadonlySet<number> | undefined;
  paused: History['paused'];
}

export function createState(workflow: CompiledWorkflow, options: RunOptions): RunState {
  const size = workflow.nodes.length;
  return {
    workflow,
    options,
    nodes: new Uint8Array(size),
    edges: new Uint8Array(workflow.edges.length),
    pending: workflow.waits.slice(),
    live: new Int32Array(size),
    outputs: workflow.nodes.map(() => undefined),
    loops: workflow.loops.map(() => undefined),
    closed: new Map(),
    closed_until_failure: new Map(),
    caught: new Set(),
    attempts: new Map(),
    ready: [],
    taken: 0,
    work: [],
    events: [],
    delivered: 0,
    running: 0,
    suspended: [],
    pauses: new Map(),
    sequence: options.last_sequence ?? 0,
    executions: 0,
    unresolved: 0,
    budget: new WriteBudget({ characters: options.max_characters ?? MAX_RUN_CHARACTERS }),
    flow: 'main',
    stopping: false,
    failures: [],
    shortfall: undefined,
    variables: new WriteLog(workflow),
    disabled: new WriteLog(workflow),
    answered: false,
    started: false,
    finished: false,
    started_at_ms: 0,
    recorded: undefined,
    part: selectPart(workflow, options),
    among: options.behind === undefined ? undefined : nodesBehind(workflow, workflow.indexOf(options.behind)),
    paused: undefined,
  };
}

/** Iteration that events of the node carry now. */
export function getIteration(run: RunState, node: number): string {
  const loop = run.workflow.nodes[node]?.loop ?? -1;
  return loop < 0 ? '' : (run.loops[loop]?.key ?? '');
}

/** The last node of the part has ended: nothing follows, not even the next round of a loop. */
export function isPartDone(run: RunState): boolean {
  if (run.part === undefined) return false;
  const { last, iteration } = run.part;
  const state = run.nodes[last];
  if (state === SKIPPED && run.workflow.nodes[last]?.loop === -1) return true;
  if (state !== DONE && state !== FAILED) return false;
  return iteration === undefined || getIteration(run, last) === iteration;
}
