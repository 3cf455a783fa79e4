import {
  compileWorkflow,
  type Json,
  type JsonObject,
  type NodeTask,
  type StoredStep,
} from '@millrace/engine';
import { draw, type EndedRun, runToEnd } from '@millrace/engine/testing';
import { catalog } from '../catalog.ts';
import type { NodeImplementation } from '../implement.ts';
import { implementations } from '../runtime.ts';
import { type CallSituation, callNode, fakeCallHost } from './fake-call-host.ts';
import { emptyTrace, type Trace } from './fake-services.ts';

export interface WorkflowSituation extends CallSituation {
  input?: Json;
}

/** Runs a drawn workflow of real node types through the engine, against fake services. */
export async function runWorkflow(
  lines: string,
  nodes: Record<string, JsonObject>,
  situation: WorkflowSituation = {},
): Promise<EndedRun & { trace: Trace }> {
  const trace = emptyTrace();
  const workflow = compileWorkflow(draw(lines, nodes), catalog);
  const books = new Map<string, StoredStep[]>();
  const bookFor = ({ node, iteration }: NodeTask): StoredStep[] => {
    const place = `${iteration} ${node.id}`;
    const book = books.get(place) ?? [];
    books.set(place, book);
    return book;
  };
  const calls = fakeCallHost({ trace, situation, implementationFor: requireImplementation, bookFor });
  const runNode = (task: NodeTask) => callNode(calls, task);
  const { input } = situation;
  const run = await runToEnd(workflow, { ...(input === undefined ? {} : { input }), host: { runNode } });
  return { ...run, trace };
}

function requireImplementation({ node }: NodeTask): NodeImplementation {
  const implementation = implementations.get(node.definition.type);
  if (!implementation) throw new Error(`no implementation of ${node.type}`);
  return implementation;
}
