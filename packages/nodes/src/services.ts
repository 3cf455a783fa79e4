import type { EndStatus, Json, JsonObject } from '@millrace/engine';
import type { ModelCallNote, PlannedCall } from '@millrace/models';
import type { AgentMemories } from './agent-memories.ts';
import type { Egress } from './egress.ts';
import type { NodeParsers } from './parsers.ts';
import type {
  CodeJob,
  CodeOutcome,
  ProgramJob,
  RunningProgram,
  ScriptJob,
  ScriptOutcome,
} from './sandbox-jobs.ts';

export type * from './agent-memories.ts';
export type { BodyStream, Egress, EgressRequest, EgressResponse, SocketRequest } from './egress.ts';
export type * from './sandbox-jobs.ts';

export interface SubWorkflowRequest {
  workflow_id: string;
  /** The sub-run sees it as `{headers: {}, query: {}, body: input}`. */
  input: Json;
  /** Used as `text` if the body has none. */
  text?: string;
  /** False starts the run and returns at once. */
  wait: boolean;
  /** Whether a node for that or an agent starts it; absent: a node. */
  cause?: 'sub_workflow' | 'agent';
  /** Whether content from outside was read before: agents of the new run begin with it. */
  outside_content?: boolean;
  /** The same key starts at most one run, so that a repeated node finds the run it began before a crash. */
  idempotency_key: string;
  /** Those of the node and of its callers, to which the new run has to keep. */
  budgets?: readonly NodeBudget[];
  signal: AbortSignal;
}

/** A run that was begun and waits. */
export type PausedSubWorkflow = { workflow_id: string; run_id: string } & Pick<
  SubWorkflowRequest,
  'budgets' | 'signal'
>;

export type SubWorkflowOutcome =
  | {
      kind: 'finished';
      workflow_id: string;
      status: EndStatus;
      outputs: Json;
      execution_time_ms: number;
      /** It has read content from outside, or began with it. */
      outside_content?: boolean;
      /** A call in it was not made because a budget is used up. */
      budget_stopped?: boolean;
    }
  | { kind: 'dispatched'; workflow_id: string }
  /** Unknown id, or one that the run's user may not see: the two are not told apart. */
  | { kind: 'not_found' }
  /** The sub-run waits for a decision and is not in memory; the end of the run decides a wait of the kind `child`. */
  | { kind: 'paused'; workflow_id: string; run_id: string };

/** The facts of a workflow that a model has to know to call it. */
export type SubWorkflowFacts = {
  name: string;
  description: string;
  /** Names of the fields of its start nodes. */
  keys: string[];
  /** Values of the fields that a caller may leave out. */
  defaults: JsonObject;
};

export interface SubWorkflow {
  /** How many Execute Workflow nodes are above this run; 0 for a run that a trigger started. */
  readonly depth: number;
  /** Fails as `requireBudget` does when the new run has failed and a budget of this run or of `budgets` is used up. */
  run(request: SubWorkflowRequest): Promise<SubWorkflowOutcome>;
  /** Null for one that does not exist or that the run's user may not see. */
  describe(workflow_id: string): Promise<SubWorkflowFacts | null>;
  /** How a run that was paused has ended. */
  loadOutcome(run: PausedSubWorkflow): Promise<SubWorkflowOutcome>;
}

/** Content from outside in a run, and what other runs have brought into it. */
export interface OutsideContentFacts {
  /** The run above had read some when it started this one. */
  readonly is_inherited: boolean;
  /** Whether a workflow that this node of the run has executed had read some. */
  isReturnedTo(node_id: string): boolean;
  /** Whether the run began with some, or a finished node has read some. Ask within a step, because it changes while the run continues. */
  isReadInRun(): boolean;
}

export interface PlatformWorkflow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly active: boolean;
  /** Where the person keeps it. */
  readonly folder_id: string | null;
  /** ISO 8601. */
  readonly updated_at: string;
  readonly node_count: number;
}

/** A workflow with its shape, without the settings of its nodes. */
export interface PlatformWorkflowShape extends Omit<PlatformWorkflow, 'folder_id' | 'node_count'> {
  readonly nodes: readonly { readonly id: string; readonly type: string; readonly label: string }[];
  readonly edges: readonly { readonly id: string; readonly source: string; readonly target: string }[];
  /** The fields that callers of the workflow are asked for. */
  readonly input_fields: Json;
}

export interface RunCount {
  readonly workflow_id: string;
  /** Only runs that have this status now. */
  readonly status?: string;
  /** Only runs that began at or after it, in epoch milliseconds. */
  readonly since_ms?: number;
}

/**
 * The service itself as far as the person that the run is attributed to can see it. Undefined is what does not exist
 * and what is not shared with them alike.
 */
export interface PlatformReads {
  /** Last changed first; `total` also counts those beyond the limit. */
  listWorkflows(limit: number): Promise<{ workflows: readonly PlatformWorkflow[]; total: number }>;
  workflow(id: string): Promise<PlatformWorkflowShape | undefined>;
  /** Number of runs by status. */
  countRuns(count: RunCount): Promise<Readonly<Record<string, number>> | undefined>;
}

/** An event that a person or a workflow publishes. */
export interface OwnEvent {
  /** As `OWN_EVENT_NAME` has it. */
  readonly name: string;
  readonly payload: JsonObject;
}

export type PublishedEvent = {
  id: string;
  name: string;
  /** ISO 8601. */
  created_at: string;
};

export interface Credential {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** Decrypted values by field name, of the types that the fields declare. Never stored, logged or returned by a node. */
  readonly values: Readonly<Record<string, Json>>;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type FilterValue = string | number | boolean;

/** Entries whose metadata have every value; a list stands for any of its values. */
export type MetadataFilter = Readonly<Record<string, FilterValue | readonly FilterValue[]>>;

export interface StoredEntry {
  /** A UUID; an entry with the same id is replaced. */
  readonly id: string;
  readonly text: string;
  readonly metadata: JsonObject;
}

export interface FoundEntry extends StoredEntry {
  /** Cosine similarity of its vector with that of the words searched for. */
  readonly score: number;
}

/** A vector store as a run sees it: texts go in and come out, vectors are made inside. Throws `NodeFailure`. */
export interface VectorStore {
  readonly name: string;
  /** The `source` of entries that name none. */
  readonly source: string;
  put(entries: readonly StoredEntry[]): Promise<void>;
  /** Nearest meaning first. */
  search(
    text: string,
    options: { readonly limit: number; readonly filter: MetadataFilter },
  ): Promise<FoundEntry[]>;
  count(filter: MetadataFilter): Promise<number>;
  /** Leaves those in `except_ids`. */
  removeWhere(filter: MetadataFilter, except_ids?: readonly string[]): Promise<void>;
}

export interface DataTableRecord {
  readonly id: string;
  readonly data: JsonObject;
  readonly created_at: string;
}

/** One change of a data table. */
export type DataTableChange =
  | { readonly operation: 'insert'; readonly data: JsonObject }
  | { readonly operation: 'update'; readonly row_id: string; readonly data: JsonObject }
  | { readonly operation: 'remove'; readonly row_id: string }
  | { readonly operation: 'upsert'; readonly filter: JsonObject; readonly data: JsonObject };

export interface DataTableWritten {
  /** The operation that an upsert turned out to be. */
  readonly operation: 'insert' | 'update' | 'remove';
  readonly id: string;
  /** As it is then; null for one that is gone. */
  readonly row: DataTableRecord | null;
}

/** Data tables with the rights of the run's user. Every refusal is a `NodeFailure`. */
export interface DataTables {
  find(
    table_id: string,
    query: { readonly filter: JsonObject; readonly sort: string; readonly limit: number },
  ): Promise<DataTableRecord[]>;
  count(table_id: string, filter: JsonObject): Promise<number>;
  read(table_id: string, row_id: string): Promise<DataTableRecord | null>;
  /** The same key writes once and returns the same again, so that a repeated node finds what it wrote before a crash. */
  write(table_id: string, change: DataTableChange, key: string): Promise<DataTableWritten>;
}

/** A file of a Drive. */
export interface StoredFile {
  readonly id: string;
  readonly filename: string;
  readonly mime_type: string;
  readonly size_bytes: number;
  /** Public address; anyone who has it may download. Of a file without one, the address for those who are signed in. */
  readonly download_url: string;
}

export interface NewStoredFile {
  /** A function is asked when the body has been read, for names that come with it. */
  readonly filename: string | (() => string);
  readonly body: AsyncIterable<Uint8Array>;
  /** The same key stores once and returns the same file again, also after a crash; `body` is not read then. */
  readonly key?: string;
}

/** A new limit of the public address of a file; the others stay. */
export type FileLinkChange =
  | { readonly password: string }
  /** From now. */
  | { readonly expires_hours: number }
  /** Counted from the first download of the address. */
  | { readonly max_downloads: number };

/**
 * The Drive of the person that the run is attributed to. Files are named by id or by one of their addresses. Members of a
 * team read what is shared with it, the owner changes it. Every refusal is a `NodeFailure`.
 */
export interface NodeFiles {
  /** Stores a stream piece by piece. Fails when it is larger than files may be. */
  store(file: NewStoredFile): Promise<StoredFile>;
  /** Newest first. */
  list(limit: number): Promise<StoredFile[]>;
  find(reference: string): Promise<StoredFile>;
  /** Its bytes, which must be read to the end or cancelled by `return()`. */
  open(reference: string): Promise<{ readonly file: StoredFile; readonly body: AsyncIterable<Uint8Array> }>;
  /** Does nothing when there is no such file, so that it can be repeated. */
  remove(id: string): Promise<void>;
  changeLink(reference: string, change: FileLinkChange): Promise<StoredFile>;
  /** With all teams of the owner, or with none; answers with how many it is shared then. */
  shareWithTeams(reference: string, enabled: boolean): Promise<{ file: StoredFile; team_count: number }>;
  /** A new file with the content in another format: an end of file names such as `md`. The key as in `store`. */
  convert(
    reference: string,
    format: string,
    options: { readonly key: string; readonly signal: AbortSignal },
  ): Promise<StoredFile>;
  /** Texts of the pages of a PDF file. */
  pages(
    reference: string,
    signal: AbortSignal,
  ): Promise<{ readonly file: StoredFile; readonly pages: readonly string[] }>;
}

/** The purpose of a call of a model. */
export interface ModelCallCause {
  /** With which credential the model was asked. */
  readonly credential: Pick<Credential, 'id' | 'name'>;
  readonly node: { readonly id: string; readonly label: string };
  /** Name of the step that made the call. */
  readonly step: string;
  /** Idempotency key of the node: those of the nodes that called it begin it. */
  readonly execution_key: string;
}

/** The amount that a node may spend on calls of models, with the nodes that it calls itself and the runs that these start. */
export interface NodeBudget {
  readonly label: string;
  /** Idempotency key of the node. */
  readonly execution_key: string;
  readonly amount_usd: number;
}

/** One version of a skill of the library. */
export interface LibrarySkill {
  readonly name: string;
  readonly version: number;
  /** The text of SKILL.md. */
  readonly content: string;
  readonly files: readonly {
    readonly path: string;
    readonly content: string;
    readonly encoding: 'text' | 'base64';
  }[];
  readonly timeout_seconds: number;
}

/** Everything outside itself that a node may use; the server implements it for one run. */
export interface NodeServices {
  readonly http: Egress;
  readonly subWorkflow: SubWorkflow;
  readonly outsideContent: OutsideContentFacts;
  readonly dataTables: DataTables;
  readonly files: NodeFiles;
  /** Parses untrusted documents outside the event loop. */
  readonly parsers: NodeParsers;
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves at that epoch millisecond, at once when it has passed; rejects when the signal aborts. */
  sleepUntil(epoch_ms: number, signal: AbortSignal): Promise<void>;
  /**
   * Stores `active: false` on every node of this workflow with the label.
   * Returns their ids; none when no node has that label.
   */
  disableNode(label: string): Promise<readonly string[]>;
  readonly platform: PlatformReads;
  readonly memories: AgentMemories;
  /**
   * A skill of the library with the rights of the owner of the workflow.
   *
   * @param version null for the newest one
   */
  librarySkill(id: string, version: number | null): Promise<LibrarySkill | 'no_skill' | 'no_version'>;
  /**
   * Publishes an event to the workflows of the person that the run is attributed to; durable when it resolves. The same key is
   * one event, also when it is published again after a crash.
   */
  publishEvent(event: OwnEvent, idempotency_key: string): Promise<PublishedEvent>;
  /** Hides values of credentials, as everything that leaves the run does (§5.8); the same value where there are none. */
  mask<T>(value: T): T;
  /** Line in the server log, attributed to the run; values pass the masker. */
  log(level: LogLevel, message: string, fields?: JsonObject): void;
  /**
   * Fails with kind `credential` when the id is empty, unknown or not visible to the run's user.
   *
   * @param through id of a model router that the user can see: what it names, its users use without a share of their own
   */
  credential(id: string, through?: string): Promise<Credential>;
  /**
   * The credential with another access token than the one that the service has refused. Fails with kind `credential` when
   * there is none to be had without a person.
   */
  renewedCredential(id: string, refused: string): Promise<Credential>;
  /**
   * Runs code in a sandbox, or fails with kind `sandbox` where there is none; errors of the code have kind `thrown`.
   *
   * @param purpose `code` for a Code node, `tool` for a Python tool of an agent, which may have another sandbox (§8.4)
   */
  runCode(purpose: 'code' | 'tool', job: CodeJob): Promise<CodeOutcome>;
  /**
   * Runs a script of a skill in a separate container, whose connections go through `http` (§8.4). Fails like `runCode`; a script that
   * ends with another exit code than 0 has failed.
   */
  runScript(job: ScriptJob): Promise<ScriptOutcome>;
  /**
   * Starts a program in a container, to be spoken to while it runs. Fails like `runCode`, with kind `params` when there is no
   * such command. The caller closes it.
   */
  startProgram(job: ProgramJob): Promise<RunningProgram>;
  /** Stores a trace of a call of a model behind the run; never fails and never waits. */
  noteModelCall(call: ModelCallNote, cause: ModelCallCause): void;
  /**
   * Resolves if a model may be called: no budget of these nodes, the run, the workflow or the person is used up. Fails
   * with kind `limit` otherwise, as `budgetStopIn` recognises.
   */
  requireBudget(call: PlannedCall, budgets: readonly NodeBudget[]): Promise<void>;
  /** Fails with kind `params` when the id is empty, unknown or not visible to the run's user. */
  vectorStore(id: string, signal: AbortSignal): Promise<VectorStore>;
}
