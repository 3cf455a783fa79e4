import { isJsonObject, type JsonObject, NodeFailure, type NodeTask } from '@millrace/engine';
import type { Credential, LogLevel, NodeServices } from '@millrace/nodes/runtime';
import { AppError } from '../../../core/app-error.ts';
import { isConnectionLoss } from '../../../database/connection-loss.ts';
import { JournalUnavailable } from '../../journal/journal.ts';
import type { RunSession } from '../session.ts';
import { sleepUntil } from '../sleep.ts';
import { runSubWorkflow } from './sub-workflow.ts';

function stringValues(config: Record<string, unknown>): Record<string, string> {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(config)) {
    if (typeof value === 'string') values[name] = value;
  }
  return values;
}

async function credentialOf(session: RunSession, id: string): Promise<Credential> {
  const missing = new NodeFailure({
    kind: 'credential',
    message: id === '' ? 'Choose a credential' : 'The credential does not exist or is not shared with you',
    field: 'credentialId',
    final: true,
  });
  if (id === '') throw missing;
  const found = await session.environment.run_secrets.credentialById(session.run_as, id);
  if (!found) throw missing;
  // From here on the run knows these values, so everything that leaves it is checked for them.
  session.secrets.add(found.secrets);
  return { id: found.id, name: found.name, type: found.type, values: stringValues(found.config) };
}

function writeLog(
  session: RunSession,
  task: NodeTask,
  line: { level: LogLevel; message: string; fields?: JsonObject },
) {
  const masked = session.secrets.mask({ message: line.message, fields: line.fields ?? {} });
  const fields = isJsonObject(masked.fields) ? masked.fields : {};
  const { run_id, workflow_id } = session;
  session.environment.log[line.level](
    { ...fields, run_id, workflow_id, node: task.node.label },
    masked.message,
  );
}

/** Whoever may not edit the workflow may not do so through a run either; the node says why. */
async function disableNode(session: RunSession, label: string): Promise<readonly string[]> {
  const { workflow_id, run_as, environment } = session;
  try {
    return await environment.deactivateNodes({ workflow_id, label, user_id: run_as });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const message = 'The run is attributed to somebody who may not change this workflow';
    throw new NodeFailure({ kind: 'params', message, final: true }, { cause: error });
  }
}

/** The database was away for longer than its reads are repeated: that is not the node's fault, and the run goes on later. */
async function ours<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isConnectionLoss(error) ? new JournalUnavailable(error) : error;
  }
}

/** Everything outside itself that a node may use, attributed to its run. */
export function createNodeServices(session: RunSession, task: NodeTask): NodeServices {
  const { environment } = session;
  return {
    http: environment.egress,
    subWorkflow: { depth: session.depth, run: (request) => ours(runSubWorkflow(session, task, request)) },
    now: environment.now,
    sleepUntil: (epoch_ms, signal) =>
      session.slot.whileWaiting(sleepUntil(epoch_ms, signal, environment.now)),
    disableNode: (label) => ours(disableNode(session, label)),
    log: (level, message, fields) =>
      writeLog(session, task, { level, message, ...(fields ? { fields } : {}) }),
    credential: (id) => ours(credentialOf(session, id)),
  };
}
