import { isJsonObject, type Json, type JsonObject, NodeFailure, type NodeTask } from '@millrace/engine';
import type { ModelCallNote, PlannedCall } from '@millrace/models';
import type {
  AgentMemories,
  Credential,
  DataTables,
  Egress,
  LogLevel,
  ModelCallCause,
  NodeBudget,
  NodeFiles,
  NodeServices,
  OwnEvent,
  PlatformReads,
  PublishedEvent,
  VectorStore,
} from '@millrace/nodes/runtime';
import { AppError } from '../../../core/app-error.ts';
import { isConnectionLoss } from '../../../database/connection-loss.ts';
import { isTransient, sqlState } from '../../../database/sql-errors.ts';
import { FileStoreUnavailable } from '../../../ports/file-store.ts';
import type { CredentialUse } from '../../../ports/run/run-secrets.ts';
import { listBudgetIds } from '../../budgets/budgets-above.ts';
import { JournalUnavailable } from '../../model/errors.ts';
import type { Executor } from '../executor.ts';
import { sleepUntil } from '../sleep.ts';
import { readOrigin } from '../start/origin.ts';
import { stopsTheRun } from '../start/run-request.ts';
import { createMemories } from './agent-memories.ts';
import { createSpender } from './create-spender.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { describeSubWorkflow, runSubWorkflow, subWorkflowResult } from './sub-workflow.ts';

/** Of a folder that containers of the run share under that name. */
export const workspaceName = (run_id: string, name: string): string => `${run_id} ${name}`;

/** A credential's configuration as it is stored: JSON, so numbers and switches keep their types. */
export function typedValues(config: Record<string, unknown>): Readonly<Record<string, Json>> {
  return Object.freeze(Object.assign(Object.create(null), config) as Record<string, Json>);
}

async function resolveCredential(executor: Executor, id: string, use: CredentialUse): Promise<Credential> {
  const missing = new NodeFailure({
    kind: 'credential',
    message: id === '' ? 'Choose a credential' : 'The credential does not exist or is not shared with you',
    field: 'credentialId',
    final: true,
  });
  if (id === '') throw missing;
  const found = await executor.keeping.run_secrets.credentialById(executor.run_as, id, use);
  if (!found) throw missing;
  // From here on the run knows these values, so everything that leaves it is checked for them.
  executor.secrets.add(found.secrets);
  return { id: found.id, name: found.name, type: found.type, values: typedValues(found.config) };
}

/** A store waits for limits as long as other calls of nodes do. */
const STORE_MAX_WAIT_MS = 60_000;

/** The trace masks the same secrets as the run, including those read before the trace is written. */
function noteModelCall(
  { nodes, workflow, workflow_id, begin, run_id, run_as, secrets }: Executor,
  call: ModelCallNote,
  { credential, node, step, execution_key }: Omit<ModelCallCause, 'step'> & { readonly step?: string },
): void {
  nodes.ports.traces.note(
    call,
    {
      user_id: run_as,
      source: 'workflow',
      credential,
      workflow: { id: workflow_id, name: workflow.settings.name },
      run_id,
      node,
      step,
      execution_key,
      budget_ids: listBudgetIds(begin),
    },
    { mask: (value) => secrets.mask(value) },
  );
}

function requireBudget(executor: Executor, call: PlannedCall, budgets: readonly NodeBudget[]): Promise<void> {
  return ours(executor.nodes.ports.budgets.require(call, createSpender(executor, budgets)));
}

async function openVectorStore(
  executor: Executor,
  task: NodeTask,
  { id, signal }: { readonly id: string; readonly signal: AbortSignal },
): Promise<VectorStore> {
  const { nodes, keeping, run_as } = executor;
  const execution_key = idempotencyKey(executor.run_id, task);
  const opened = await nodes.ports.vector_stores.open({
    user_id: run_as,
    store_id: id,
    signal,
    max_wait_ms: STORE_MAX_WAIT_MS,
    createHooks: (credential) => ({
      beforeCall: (call) => requireBudget(executor, call, []),
      onCall: (call) => noteModelCall(executor, call, { credential, node: task.node, execution_key }),
    }),
    sleepUntil: (epoch_ms, ended) => executor.slot.whileWaiting(sleepUntil(epoch_ms, ended, keeping.now)),
    mask: (value) => executor.secrets.mask(value),
  });
  if (opened) {
    executor.secrets.add(opened.secrets);
    return { ...opened.store, source: `workflow:${executor.workflow.settings.name}` };
  }
  throw new NodeFailure({
    kind: 'params',
    message: 'does not exist or is not shared with you; choose another one',
    field: 'vectorStoreId',
    final: true,
  });
}

function writeLog(
  executor: Executor,
  task: NodeTask,
  line: { level: LogLevel; message: string; fields?: JsonObject },
) {
  const masked = executor.secrets.mask({ message: line.message, fields: line.fields ?? {} });
  const fields = isJsonObject(masked.fields) ? masked.fields : {};
  const { run_id, workflow_id } = executor;
  executor.keeping.log[line.level]({ ...fields, run_id, workflow_id, node: task.node.label }, masked.message);
}

/** A user who may not edit the workflow may not do so through a run either; the error of the node says why. */
async function disableNode(executor: Executor, label: string): Promise<readonly string[]> {
  const { workflow, workflow_id, run_as, nodes } = executor;
  const is_draft = workflow.version.number === null;
  try {
    return await nodes.workflow_rules.deactivateNodes({ workflow_id, label, user_id: run_as, is_draft });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const message = 'The run is attributed to a user who may not change this workflow';
    throw new NodeFailure({ kind: 'params', message, final: true }, { cause: error });
  }
}

/** Turns refusals of tables and files into the error of the node; the fields of a 422 are sentences of their own. */
async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const problems = Array.isArray(error.detail) ? error.detail.map(({ msg }) => msg).join('; ') : '';
    const message = problems === '' ? error.message : problems;
    throw new NodeFailure({ kind: 'params', message, final: true }, { cause: error });
  }
}

/** Credential values are hidden in what is stored, where others read it. */
function createTables(executor: Executor): DataTables {
  const tables = executor.nodes.ports.run_tables.of(executor.run_as);
  return {
    find: (id, query) => ours(inTime(refusing(tables.find(id, query)))),
    count: (id, filter) => ours(inTime(refusing(tables.count(id, filter)))),
    read: (id, row_id) => ours(refusing(tables.read(id, row_id))),
    write: (id, change, key) => ours(inTime(refusing(tables.write(id, executor.secrets.mask(change), key)))),
  };
}

/** The database answers, and gave up on this statement: it would do so again when the run continues. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (sqlState(error) !== '57014') throw error;
    const message = 'The table took too long to answer; filter by fewer columns or ask for fewer rows';
    throw new NodeFailure({ kind: 'timeout', message }, { cause: error });
  }
}

/** Files with the rights of the person that the run is attributed to; what the node stores names the node. */
function createNodeFiles({ nodes, run_as, workflow_id, run_id }: Executor, { node }: NodeTask): NodeFiles {
  const origin = { user_id: run_as, workflow_id, run_id, node_id: node.id, node_label: node.label };
  const files = nodes.ports.run_files.of(origin);
  return {
    store: (file) => ours(refusing(files.store(file))),
    list: (limit) => ours(refusing(files.list(limit))),
    find: (reference) => ours(refusing(files.find(reference))),
    open: (reference) => ours(refusing(files.open(reference))),
    remove: (id) => ours(refusing(files.remove(id))),
    changeLink: (reference, change) => ours(refusing(files.changeLink(reference, change))),
    shareWithTeams: (reference, enabled) => ours(refusing(files.shareWithTeams(reference, enabled))),
    convert: (reference, format, options) => ours(refusing(files.convert(reference, format, options))),
    pages: (reference, signal) => ours(refusing(files.pages(reference, signal))),
  };
}

/**
 * The database was away or did not answer for longer than its reads are repeated, or the file storage: the node did nothing
 * wrong, and the run continues later.
 */
async function ours<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isStorageAway(error) ? new JournalUnavailable(error) : error;
  }
}

/** A failure of the node has words of its own, also when a database caused it. */
function isStorageAway(error: unknown): boolean {
  if (stopsTheRun(error)) return false;
  if (isConnectionLoss(error) || error instanceof FileStoreUnavailable) return true;
  return !(error instanceof NodeFailure) && isTransient(error);
}

function agentMemories(executor: Executor): AgentMemories {
  const memories = createMemories(executor);
  return {
    isShared: (agent_id) => ours(memories.isShared(agent_id)),
    read: (agent) => ours(memories.read(agent)),
    merge: (agent, place, facts) => ours(memories.merge(agent, place, facts)),
  };
}

function buildReads({ nodes, run_as }: Executor): PlatformReads {
  const reads = nodes.workflow_rules.createReads(run_as);
  return {
    listWorkflows: (limit) => ours(reads.listWorkflows(limit)),
    workflow: (id) => ours(reads.workflow(id)),
    countRuns: (count) => ours(reads.countRuns(count)),
  };
}

/** Credential values are masked: the payload is visible in other workflows. */
function publishEvent(
  { nodes, run_as, workflow_id, secrets }: Executor,
  event: OwnEvent,
  key: string,
): Promise<PublishedEvent> {
  const { name, payload } = secrets.mask(event);
  return nodes.workflow_rules.publishEvent({ name, payload, owner_id: run_as, workflow_id, key });
}

/** Outgoing requests of a run. Redirects to another origin drop headers that contain one of its secrets. */
function createEgress({ nodes, secrets }: Executor): Egress {
  const { egress } = nodes.ports;
  const holdsSecret = (value: string) => secrets.holdsSecret(value);
  return { ...egress, request: (request) => egress.request({ ...request, holdsSecret }) };
}

/** Everything outside itself that a node may use, attributed to its run. */
export function createNodeServices(executor: Executor, task: NodeTask): NodeServices {
  const { now } = executor.keeping;
  const { parsers, run_skills, sandboxes } = executor.nodes.ports;
  return {
    http: createEgress(executor),
    subWorkflow: {
      depth: executor.depth,
      run: (request) => ours(runSubWorkflow(executor, task, request)),
      describe: (workflow_id) => ours(describeSubWorkflow(executor, workflow_id)),
      loadOutcome: (run) => ours(subWorkflowResult(executor, run)),
    },
    outsideContent: {
      is_inherited: readOrigin(executor.begin).outside_content === true,
      isReturnedTo: (node_id) => executor.returned_content.isReturnedTo(node_id),
      isReadInRun: () => executor.has_read_outside,
    },
    dataTables: createTables(executor),
    files: createNodeFiles(executor, task),
    parsers: {
      run: (name, args, options) => parsers.run(name, args, { ...options, owner: executor.run_as }),
    },
    now,
    sleepUntil: (epoch_ms, signal) => executor.slot.whileWaiting(sleepUntil(epoch_ms, signal, now)),
    disableNode: (label) => ours(disableNode(executor, label)),
    platform: buildReads(executor),
    memories: agentMemories(executor),
    librarySkill: (id, version) =>
      ours(run_skills.read(executor.workflow.settings.owner_id, { id, version })),
    publishEvent: (event, key) => ours(publishEvent(executor, event, key)),
    mask: (value) => executor.secrets.mask(value),
    log: (level, message, fields) =>
      writeLog(executor, task, { level, message, ...(fields ? { fields } : {}) }),
    credential: (id, through) => ours(resolveCredential(executor, id, { through })),
    renewedCredential: (id, refused) => ours(resolveCredential(executor, id, { refused })),
    runCode: (purpose, job) => sandboxes.of(purpose).run(job),
    runScript: (job) =>
      sandboxes.scripts.runScript(job, { run_id: executor.run_id, http: createEgress(executor) }),
    startProgram: ({ workspace, ...job }) =>
      sandboxes.programs.startProgram({
        ...job,
        ...(workspace === undefined ? {} : { workspace: workspaceName(executor.run_id, workspace) }),
      }),
    vectorStore: (id, signal) => ours(openVectorStore(executor, task, { id, signal })),
    noteModelCall: (call, cause) => noteModelCall(executor, call, cause),
    requireBudget: (call, budgets) => requireBudget(executor, call, budgets),
  };
}
