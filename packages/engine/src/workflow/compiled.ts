import type { Scope } from '../expression/index.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Effect, NodeDefinition } from '../node-type/define-node.ts';
import type { Failure } from '../run/node-run.ts';
import type { WorkflowDocument } from './schema.ts';

/** A problem in a document. The editor underlines `field` of the node; every message states what to do. */
export interface Problem {
  node_id: string | null;
  edge_id?: string;
  field: string | null;
  code: string;
  message: string;
  severity: 'error' | 'warning';
}

/** Parameters after evaluation, keyed as the definition's schema. */
export type Params = Readonly<Record<string, unknown>>;

/** A name that an expression of a node uses, with its place in the text of that field. */
export interface FieldReference {
  readonly field: string;
  readonly name: string;
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** A stored id or label that points to something else: a credential, a workflow or a node. */
export interface StoredLink {
  /** Dotted path inside `data`. */
  readonly field: string;
  readonly value: string;
}

export interface CompiledParams {
  /** Fails with a `NodeFailure` of kind `params` or `expression` that names the field. */
  resolve(scope: Scope): Params;
  readonly problems: readonly Omit<Problem, 'node_id'>[];
  readonly references: readonly FieldReference[];
  readonly credentials: readonly StoredLink[];
  readonly workflows: readonly StoredLink[];
  readonly labels: readonly StoredLink[];
}

/** A node with its place in the graph; its parameters are not read. */
export interface GraphNode {
  /** Position in `WorkflowGraph.nodes`. */
  readonly index: number;
  readonly id: string;
  readonly label: string;
  /** As stored; `definition.type` is the canonical name. */
  readonly type: string;
  readonly data: JsonObject;
  readonly definition: NodeDefinition;
  /** False for a type that the catalogue does not have: the node passes its inputs on. */
  readonly known: boolean;
  readonly flow: 'main' | 'error' | 'none';
  readonly active: boolean;
  readonly effect: Effect;
  /** Null for a single attempt. `max_attempts` counts the first one. */
  readonly retry: { readonly max_attempts: number; readonly wait_ms: number } | null;
  /** A failure follows the `error` handle instead of ending the run. */
  readonly on_error: boolean;
  /** Output that replaces the node in test runs. */
  readonly pinned: Json | undefined;
  /** Source handles that the node can make live. */
  readonly ports: readonly string[];
  /** Those that become live at the node's first wait. */
  readonly pause_ports: readonly string[];
  /** Its decision also skips nodes that other ways lead to. */
  readonly closes_joins: boolean;
  /** An output node that answers when it is reached while the run continues. */
  readonly answers_early: boolean;
  /** Loop around the node, the innermost one, or -1. */
  readonly loop: number;
  /** Loop that this node opens, or -1. */
  readonly opens: number;
}

export interface CompiledNode extends GraphNode {
  readonly params: CompiledParams;
  /** Shorthand of `params.resolve`. */
  resolveParams(scope: Scope): Params;
  /** Names used as `$credentials.<name>`; null when an expression computes the name. */
  readonly credential_names: readonly string[] | null;
}

/** A loop node with everything that repeats. All numbers are node or edge indexes unless said otherwise. */
export interface CompiledLoop {
  readonly index: number;
  readonly node: number;
  /** Index of the surrounding loop, or -1. */
  readonly outer: number;
  /** 1 for a loop that no other loop contains. */
  readonly depth: number;
  /** Body nodes, those of nested loops included, in topological order. */
  readonly body: readonly number[];
  /** Count of body nodes of this loop alone: nested loops count as their loop node. */
  readonly own: number;
  /** Edges that every round decides anew: from the `loop` handle and from body nodes. */
  readonly edges: readonly number[];
  /** Edges from outside to body nodes. */
  readonly entries: readonly number[];
  /** Edges that lead from body nodes to this loop's node. */
  readonly back: readonly number[];
  /** Edges whose outermost left loop is this one: delivered when it ends. */
  readonly exits: readonly number[];
}

/** `forward` schedules its target; `back` closes a loop; `exit` leaves a loop and waits for its end. */
export type EdgeKind = 'forward' | 'back' | 'exit';

/** An edge that takes part in runs. Edges to nowhere, of notes and of agent tools are not among them. */
export interface CompiledEdge {
  readonly id: string;
  readonly source: number;
  readonly target: number;
  /** Source handle that makes it live; `''` is never live. */
  readonly port: string;
  readonly kind: EdgeKind;
  /** Loop whose end an exit edge waits for, the outermost one that it leaves; -1 for other edges. */
  readonly exit: number;
  /** Outermost loop whose body it leads into from outside, or -1. The loop does not start before the edge is decided. */
  readonly enters: number;
}

/** Nodes with other parents that a decision closes. */
export interface ClosedNodes {
  readonly firmly: readonly number[];
  /** Closed only because the node has not failed: they run after all when they follow the failure of another node. */
  readonly until_failure: readonly number[];
}

/** A decision that a node depends on although other nodes lead to it as well. */
export interface Guard {
  readonly node: number;
  readonly label: string;
  /** The node runs only when one of these ports is selected. */
  readonly ports: readonly string[];
}

export type GraphIssueCode =
  | 'duplicate_node_id'
  | 'duplicate_edge_id'
  | 'unknown_edge_end'
  | 'edge_into_error_handler'
  | 'shared_with_error_flow'
  | 'default_is_true'
  | 'handle_needed'
  | 'unknown_handle'
  | 'behind_output'
  | 'stray_back_edge'
  | 'cycle'
  | 'loops_overlap'
  | 'blocked_label';

/** A structural problem of a graph; `problems` turns it into a message. */
export interface GraphIssue {
  readonly code: GraphIssueCode;
  readonly nodes: readonly number[];
  readonly edge_id?: string;
  readonly detail?: string;
}

/** The graph that runs follow: nodes with their handles, live edges, loops. */
export interface WorkflowGraph {
  readonly document: WorkflowDocument;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly CompiledEdge[];
  readonly loops: readonly CompiledLoop[];
  /** Edge indexes by node, in document order. */
  readonly incoming: readonly (readonly number[])[];
  readonly outgoing: readonly (readonly number[])[];
  /** Edges that a node waits for when its flow starts; a loop node also waits for edges into its body. */
  readonly waits: Int32Array;
  /** Nodes of the main flow that wait for nothing, in document order. */
  readonly roots: readonly number[];
  /** Error handlers, in document order. */
  readonly error_roots: readonly number[];
  /** End points of the main flow, in document order: output kinds and nodes that nothing follows. */
  readonly terminals: readonly number[];
  /** Rank of each node in the topological order; ties follow the document. */
  readonly rank: Int32Array;
  /** Set when no run may start, for example for a cycle without a loop node. */
  readonly refusal: Failure | null;
  readonly issues: readonly GraphIssue[];
  /** -1 for an unknown id. */
  indexOf(id: string): number;
  /** Nodes with the label, in document order. */
  withLabel(label: string): readonly number[];
  /** Nodes on the tool handle of an agent, in the order of their edges. They are called by it and never scheduled. */
  listTools(node: number): readonly number[];
  /** The node of the flow from whose place a node sees the run: its agent's for one that only agents call, else itself. */
  getViewpoint(node: number): number;
  /** Whether `first` has always settled, in the same round, before `then` starts. */
  precedes(first: number, then: number): boolean;
  /**
   * Nodes that may not run once the node has selected these ports, although other parents lead to them. Nodes whose
   * only ways in are closed are not listed.
   */
  closedBy(node: number, selected: readonly string[]): ClosedNodes;
  /** Nodes behind the `error` handle. */
  behindError(node: number): ReadonlySet<number>;
}

/** A document made ready to run: immutable, indexed once, shared by any number of runs. */
export interface CompiledWorkflow extends WorkflowGraph {
  readonly nodes: readonly CompiledNode[];
  /**
   * Nodes with the label whose end always precedes the start of the node, latest in topological order first.
   * Only their outputs are visible, so that the data visible to a node never depends on timing.
   */
  upstream(node: number, label: string): readonly number[];
  /** Names used as `$credentials.<name>` anywhere; null when an expression computes a name. */
  readonly credential_names: readonly string[] | null;
}
