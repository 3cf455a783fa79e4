import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { createCatalog } from '../node-type/catalog.ts';
import { defineNode, type NodeDefinition } from '../node-type/define-node.ts';
import { field } from '../node-type/fields.ts';
import type { NodeResult } from '../run/node-run.ts';
import type { NodeTask } from '../run/task.ts';
import type { Params } from '../workflow/compiled.ts';

/** A small, pure stand-in for the real catalogue: just enough types to exercise every trait. */
type Behaviour = (task: NodeTask, params: Params) => NodeResult;

const plain = { family: 'flow', summary: 'Test node', icon: 'circle' } as const;

const trigger = defineNode({
  ...plain,
  type: 'trigger',
  title: 'Trigger',
  traits: { role: 'trigger', error_settings: false },
  params: z.object({}),
});

/** Yields `value`, else what it got by label; fails, sets variables, disables nodes and pauses on request. */
const step = defineNode({
  ...plain,
  type: 'step',
  title: 'Step',
  params: z.object({
    value: field.value('Value').optional(),
    sets: field.mappings('Variables').default([]),
    disables: field.custom(z.array(z.string()), 'Disabled nodes', { kind: 'json' }).default([]),
    fails: field.template('Failure').optional(),
    fails_attempts: field.number('Failing attempts').default(1_000),
    final: field.boolean('Final').default(false),
    pauses: field.boolean('Pauses').default(false),
  }),
  ports: () => ({ inputs: ['input'], outputs: ['output', 'hitl'], at_pause: ['hitl'] }),
});

const condition = defineNode({
  ...plain,
  type: 'condition',
  title: 'Condition',
  params: z.object({ condition: field.condition('Condition').default(true) }),
  ports: () => ({ inputs: ['input'], outputs: ['true', 'false'] }),
});

const choose = defineNode({
  ...plain,
  type: 'switch',
  title: 'Switch',
  params: z.object({
    expression: field.raw('Value').optional(),
    cases: field.custom(z.array(z.string()), 'Cases', { kind: 'cases' }).default([]),
  }),
  ports: ({ cases }) => ({
    inputs: ['input'],
    outputs: [...(Array.isArray(cases) ? cases.map((_, index) => `case-${index}`) : []), 'default'],
  }),
});

const loop = defineNode({
  ...plain,
  type: 'loop',
  title: 'Loop',
  traits: { loop: true },
  params: z.object({ items: field.raw('Items').default([]) }),
  ports: () => ({ inputs: ['input', 'loop'], outputs: ['loop', 'done'] }),
});

const output = defineNode({
  ...plain,
  type: 'output',
  title: 'Output',
  traits: { terminal: 'output', error_settings: false },
  params: z.object({ message: field.value('Result').optional() }),
});

const json = defineNode({
  ...plain,
  type: 'json',
  title: 'JSON',
  traits: { terminal: 'json' },
  params: z.object({ mappings: field.mappings('Fields').default([]) }),
  ports: () => ({ inputs: ['input'], outputs: [] }),
});

const html = defineNode({
  ...plain,
  type: 'html',
  title: 'HTML',
  traits: { terminal: 'html' },
  params: z.object({ html: field.template('Page').default('') }),
  ports: () => ({ inputs: ['input'], outputs: [] }),
});

const handler = defineNode({
  ...plain,
  type: 'handler',
  title: 'Error handler',
  traits: { schedule: 'error_flow', error_settings: false },
  params: z.object({}),
});

const throws = defineNode({
  ...plain,
  type: 'throw',
  title: 'Throw',
  traits: { always_stops: true, error_settings: false },
  params: z.object({
    message: field.template('Message').default('Workflow error'),
    status: field.number('Status').optional(),
  }),
  ports: () => ({ inputs: ['input'], outputs: [] }),
});

const note = defineNode({
  ...plain,
  type: 'note',
  title: 'Note',
  traits: { schedule: 'never', error_settings: false },
  params: z.object({}),
});

export const testDefinitions: readonly NodeDefinition[] = [
  trigger,
  step,
  condition,
  choose,
  loop,
  output,
  json,
  html,
  handler,
  throws,
  note,
];

export const testCatalog = createCatalog(testDefinitions);

const behaviours: Record<string, Behaviour> = {
  trigger: (task) => ({ output: task.run_input }),
  step: runStep,
  condition: (_, { condition: met }) => ({
    output: { branch: String(met) },
    ports: [met === true ? 'true' : 'false'],
  }),
  switch: (_, { expression, cases }) => {
    const index = (cases as string[]).indexOf(String(expression));
    const branch = index < 0 ? 'default' : `case-${index}`;
    return { output: { branch, value: asJson(expression) }, ports: [branch] };
  },
  loop: (_, { items }) => ({ output: { items: asJson(items) } }),
  output: (task, { message }) => ({
    output: { result: message === undefined ? collectInputs(task) : asJson(message) },
  }),
  json: (_, { mappings }) => ({ output: mapped(mappings) }),
  html: (_, { html: page }) => ({
    output: { html: asJson(page), statusCode: 200, contentType: 'text/html; charset=utf-8' },
  }),
  handler: (task) => ({ output: { error: asJson(task.error) } }),
  throw: (_, { message, status }) => ({
    failure: {
      kind: 'thrown',
      message: String(message),
      final: true,
      ...(typeof status === 'number' ? { http_status: status } : {}),
    },
  }),
};

/** Runs a node of the test catalogue. */
export function runTestNode(task: NodeTask): NodeResult {
  const behaviour = behaviours[task.node.definition.type];
  if (!behaviour) throw new Error(`The test catalogue cannot run "${task.node.type}"`);
  return behaviour(task, task.params());
}

function runStep(task: NodeTask, params: Params): NodeResult {
  const { value, sets, disables, fails, fails_attempts, final, pauses } = params;
  if (pauses === true) {
    const payload = { asks: task.node.label };
    return { suspension: { key: 'ask', kind: 'review', payload } };
  }
  if (typeof fails === 'string' && task.attempt <= Number(fails_attempts)) {
    return { failure: { kind: 'upstream', message: fails, final: final === true } };
  }
  const variables = Object.entries(mapped(sets)).map(([name, set]) => ({
    name,
    value: set,
    is_global: false,
  }));
  const result: NodeResult = { output: value === undefined ? collectInputs(task) : asJson(value) };
  if (variables.length > 0) result.variables = variables;
  if ((disables as string[]).length > 0) result.disables = disables as string[];
  return result;
}

function collectInputs(task: NodeTask): JsonObject {
  return Object.fromEntries(task.inputs.map(({ label, output: value }) => [label, value]));
}

function mapped(rows: unknown): JsonObject {
  return Object.fromEntries((rows as { key: string; value: Json }[]).map(({ key, value }) => [key, value]));
}

/** Guarantee: parameters of the test catalogue are evaluated to JSON. */
function asJson(value: unknown): Json {
  if (value === undefined) return null;
  return isJsonObject(value) ? { ...value } : (value as Json);
}
