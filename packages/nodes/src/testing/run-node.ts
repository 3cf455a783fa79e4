import {
  type Catalog,
  compileWorkflow,
  createCatalog,
  createScope,
  type FailedNode,
  isJsonObject,
  type Json,
  type JsonObject,
  type NodeDefinition,
  NodeFailure,
  type NodeInput,
  type NodeResult,
  type Scope,
} from '@millrace/engine';
import { LoneTask } from '@millrace/engine/testing';
import { catalog } from '../catalog.ts';
import type { NodeImplementation } from '../implement.ts';
import { asObject } from '../kit/values/pass-through.ts';
import { implementations } from '../runtime.ts';
import { type CallSituation, callNode, fakeCallHost } from './fake-call-host.ts';
import { emptyDrive, emptyTrace, TEST_NOW, type Trace } from './fake-services.ts';

export { emptyDrive, TEST_NOW };

export interface Situation extends CallSituation {
  /** Outputs of the nodes before this one, by label, in edge order. */
  inputs?: Record<string, Json>;
  run_input?: Json;
  error?: FailedNode;
  /** Further names that expressions see. */
  names?: Record<string, unknown>;
  /** Credentials that are bearer tokens. */
  bearers?: readonly string[];
  id?: string;
  started_at_ms?: number;
  /** Of a node that the catalogue need not have. */
  implementation?: NodeImplementation;
}

export interface NodeRun {
  /** The value that the implementation returned: a promise only when the node is asynchronous. */
  readonly returned: NodeResult | Promise<NodeResult>;
  readonly trace: Trace;
}

/** Runs one node with parameters as a workflow stores them, through the engine's evaluation, against fake services. */
export async function runNode(
  type: string,
  data: JsonObject,
  situation: Situation = {},
): Promise<NodeResult> {
  return (await traceNode(type, data, situation)).result;
}

/** Like `runNode`, with what the node did. A thrown `NodeFailure` becomes the result, as in a run. */
export async function traceNode(
  type: string,
  data: JsonObject,
  situation: Situation = {},
): Promise<{ result: NodeResult; trace: Trace }> {
  const trace = emptyTrace();
  try {
    return { result: await startNode(type, data, { ...situation, trace }).returned, trace };
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    return { result: { failure: error.failure }, trace };
  }
}

/** Runs a node and returns what its implementation returned. */
export function startNode(
  type: string,
  data: JsonObject,
  situation: Situation & { trace?: Trace } = {},
): NodeRun {
  const implementation = situation.implementation ?? implementations.get(type);
  if (!implementation) throw new Error(`no implementation of ${type}`);
  const trace = situation.trace ?? emptyTrace();
  const id = situation.id ?? 'node-1';
  const node = { id, type, position: { x: 0, y: 0 }, data: { label: type, ...data } };
  const workflow = compileWorkflow({ nodes: [node], edges: [] }, catalogWith(implementation.definition));
  const inputs = Object.entries(situation.inputs ?? {}).map(([label, output]) => ({ label, output }));
  const task = new LoneTask(workflow, {
    inputs,
    run_input: situation.run_input ?? null,
    error: situation.error ?? null,
    scope: scopeFor(inputs, situation),
    bearer_credentials: new Set(situation.bearers),
    started_at_ms: situation.started_at_ms ?? TEST_NOW,
  });
  const host = fakeCallHost({ trace, situation, implementationFor: () => implementation });
  return { returned: callNode(host, task), trace };
}

const catalogWith = (definition: NodeDefinition): Catalog =>
  catalog.get(definition.type) === undefined ? createCatalog([...catalog.all, definition]) : catalog;

/** Names as a run offers them to expressions: labels, keys of direct inputs, and `$input`. */
function scopeFor(inputs: readonly NodeInput[], { names, error, run_input }: Situation): Scope {
  const keys: JsonObject = {};
  for (const { output } of inputs) Object.assign(keys, isJsonObject(output) ? output : {});
  const labels = Object.fromEntries(inputs.map(({ label, output }) => [label, output]));
  const first = inputs[0]?.output ?? run_input ?? {};
  const values = {
    ...keys,
    ...labels,
    input: asObject(first),
    vars: {},
    ...(error ? { error } : {}),
    ...names,
  };
  return createScope({ values, now: () => TEST_NOW, uuid: () => '0'.repeat(32), random: () => 0.5 });
}
