import {
  compileWorkflow,
  type ExpressionMode,
  evaluate,
  type Json,
  type JsonObject,
  type NodeResult,
  type NodeTask,
  type StoredStep,
} from '@millrace/engine';
import { draw, type EndedRun, runToEnd } from '@millrace/engine/testing';
import { catalog } from '../catalog.ts';
import { createHelpers } from '../helpers.ts';
import type { NodeCall, NodeImplementation } from '../implement.ts';
import { implementations } from '../runtime.ts';
import { emptyTrace, fakeServices, type Outside, type Trace } from './fake-services.ts';
import { type Decided, fakeSteps } from './fake-steps.ts';

export interface WorkflowSituation extends Outside {
  input?: Json;
  decisions?: Decided;
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
  const runNode = (task: NodeTask) => {
    const place = `${task.iteration} ${task.node.id}`;
    const book = books.get(place) ?? [];
    books.set(place, book);
    return runTask(task, { trace, book }, situation);
  };
  const { input } = situation;
  const run = await runToEnd(workflow, { ...(input === undefined ? {} : { input }), host: { runNode } });
  return { ...run, trace };
}

function runTask(
  task: NodeTask,
  { trace, book }: { readonly trace: Trace; readonly book: StoredStep[] },
  situation: WorkflowSituation,
): NodeResult | Promise<NodeResult> {
  const implementation = implementationOf(task);
  const { node, inputs, iteration, attempt, error, run_input } = task;
  const idempotency_key = `run-1:${node.id}:${iteration}`;
  const { signal } = new AbortController();
  const { decisions } = situation;
  const { steps, calls } = fakeSteps({ trace, decisions, idempotency_key, signal, book, attempt });
  const call: NodeCall = {
    ...calls,
    params: task.params(),
    inputs,
    first_input: inputs[0]?.output ?? {},
    run_input,
    error: error && { ...error },
    node,
    iteration,
    attempt,
    started_at_ms: task.started_at_ms,
    idempotency_key,
    signal,
    isBearer: (name) => task.isBearer(name),
    evaluate: (text, mode) => evaluateFor(task, text, mode),
    services: fakeServices(trace, situation),
    get helpers() {
      return createHelpers({ task, call: () => call, implementationOf, evaluateFor });
    },
  };
  return node.effect === 'steps' ? steps.run(() => implementation.run(call)) : implementation.run(call);
}

function implementationOf({ node }: NodeTask): NodeImplementation {
  const implementation = implementations.get(node.definition.type);
  if (!implementation) throw new Error(`no implementation of ${node.type}`);
  return implementation;
}

/** Guarantee of the engine: evaluation yields plain JSON data. */
const evaluateFor = (task: NodeTask, text: string, mode: ExpressionMode): Json =>
  evaluate(text, mode, task.scope) as Json;
