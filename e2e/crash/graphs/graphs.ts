import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../packages/engine/src/json.ts';
import { buildChain, buildGraph, type NodeText } from './build-graph.ts';

export const start: NodeText = { id: 'start', type: 'textInput' };
export const double: NodeText = {
  id: 'double',
  type: 'set',
  data: { mappings: [{ key: 'value', value: '$start.body.value * 2' }] },
};
export const out = (message: string): NodeText => ({ id: 'out', type: 'output', data: { message } });
export const wait = (id: string, duration: number): NodeText => ({ id, type: 'wait', data: { duration } });

/** The name of a credential, and a global variable that gets its value. */
export const CREDENTIAL = 'CRASH';
/** Must be found nowhere in clear. */
export const SECRET = `crash-secret-${randomUUID()}`;
/** Global variable that each run of its kind increments. */
export const COUNTER = 'crash_count';
/** The sink leaves the first request to this node of a run without an answer and an effect. */
export const REFUSED_ONCE = 'flaky';

/** The sink keeps the address that comes with a request to this node. */
export const ADDRESS_NODE = 'tell';

/** Its runs are noted by a tool. */
export const NOTE_NODE = 'noted';

interface Call {
  readonly body?: string;
  readonly onUnknownOutcome?: 'repeat' | 'fail';
  readonly label?: string;
  readonly header?: string;
  readonly data?: JsonObject;
}

/** A request that changes something outside, for the node and the run that send it. */
export function call(sink: string, id: string, options: Call = {}): NodeText {
  const { onUnknownOutcome = 'repeat', label = '$start.body.label', header, data, body = '{}' } = options;
  const headers = header === undefined ? '' : `-H '${header}' `;
  const curl = `curl -X POST '${sink}/${id}/${label}' ${headers}-d '${body}'`;
  return { id, type: 'http', data: { curl, onUnknownOutcome, ...data } };
}

/** Pure work, an effect, a pause, a second effect, a pause: something to interrupt at every stage. */
export const effectsGraph = (sink: string, onUnknownOutcome: 'repeat' | 'fail') =>
  buildChain([
    start,
    double,
    call(sink, 'first', { onUnknownOutcome }),
    wait('pause', 20),
    call(sink, 'second', { onUnknownOutcome }),
    wait('rest', 120),
    out('$double.value $first.body.answer $second.body.answer'),
  ]);

/** Starts one run that nothing waits for, and one that it waits for. */
export function parentGraph(child: string) {
  const run = (id: string, executeDoNotWait: boolean): NodeText => ({
    id,
    type: 'execute',
    data: {
      executeWorkflowId: child,
      executeDoNotWait,
      executeInputMappings: [{ key: 'label', value: `$start.body.label + "-${id}"` }],
    },
  });
  return buildChain([start, run('tell', true), run('ask', false), out('$ask.outputs.out.result')]);
}

export const increment: NodeText = {
  id: 'count',
  type: 'variable',
  data: { variableName: COUNTER, variableValue: `($global.${COUNTER} ?? 0) + 1`, isGlobal: true },
};

/** A secret goes through rows, a variable of the run, a global one and what a service answers; the sink must get it whole. */
export const secretGraph = (sink: string) =>
  buildChain([
    start,
    {
      id: 'keep',
      type: 'set',
      data: { mappings: [{ key: 'key', value: `$credentials.${CREDENTIAL}` }] },
    },
    {
      id: 'share',
      type: 'variable',
      data: { variableName: 'crash_secret', variableValue: '$keep.key', isGlobal: true },
    },
    call(sink, 'keyed', { header: 'X-Key: $vars.crash_secret' }),
    wait('pause', 20),
    call(sink, 'again', { header: 'X-Key: $keyed.body.token' }),
    out('$keyed.body.answer $again.body.answer'),
  ]);

export const ITEMS = [0, 1, 2];
export const nameItem = (label: string, at: number) => `${label}.${at}`;

export const loopGraph = (sink: string) =>
  buildGraph(
    [
      start,
      { id: 'each', type: 'loop', data: { arrayExpression: '$start.body.items' } },
      call(sink, 'item', { label: '$each.item' }),
      out('$each.total $start.body.label'),
    ],
    ['start>each', 'each:loop>item', 'item>each:loop', 'each:done>out'],
  );

/** Long enough that only a cancellation ends it while the harness waits. */
export const ENDLESS_MS = 50_000;

/** Longer than what a run waits for in memory; the harness lets this time pass at once. */
export const HURRIED_MS = 61_000;
/** A pause that it does not shorten. */
export const UNHURRIED_MS = 3_600_000;
/** Tells pauses of the one kind from those of the other. */
export const HURRIED_SECONDS = 120;

/** Hands the address on, and acts on what the call to it brings. */
export const askingGraph = (sink: string) =>
  buildGraph(
    [
      start,
      { id: 'ask', type: 'callback', data: { timeoutSeconds: UNHURRIED_MS / 1000 } },
      call(sink, ADDRESS_NODE, { body: '{"url": "$ask.url"}' }),
      call(sink, 'act', { header: 'X-Answer: $ask.body.answer' }),
      out('$act.body.answer'),
    ],
    ['start>ask', 'ask:waiting>tell', 'ask:called>act', 'act>out'],
  );

/** The same with a person, who writes the draft anew. */
export const reviewedGraph = (sink: string) =>
  buildGraph(
    [
      start,
      { id: 'ask', type: 'humanReview', data: { draft: 'a draft for $start.body.label' } },
      call(sink, ADDRESS_NODE, { body: '{"url": "$ask.reviewUrl"}' }),
      call(sink, 'act', { header: 'X-Answer: $ask.text' }),
      out('$act.body.answer'),
    ],
    ['start>ask', 'ask:review>tell', 'ask:accepted>act', 'act>out'],
  );

export const uncalledGraph = (sink: string) =>
  buildGraph(
    [
      start,
      { id: 'ask', type: 'callback', data: { timeoutSeconds: 1 } },
      call(sink, 'late'),
      out('$late.body.answer'),
    ],
    ['start>ask', 'ask:timed_out>late', 'late>out'],
  );

/** A decision model, a language model and a tool, each with a recorded answer, then an effect that uses them. */
export const modelledGraph = ({ sink, model_credential, decision_credential, tools }: Places) =>
  buildChain([
    start,
    {
      id: 'decide',
      type: 'decision',
      data: {
        credentialId: decision_credential,
        model: 'small',
        state: '$start.body.label',
        questions: [{ id: 'urgent', type: 'noul', instructions: 'Is it urgent?' }],
      },
    },
    {
      id: 'ask',
      type: 'llm',
      data: { credentialId: model_credential, model: 'small', userMessage: '$start.body.label' },
    },
    {
      id: 'tool',
      type: 'mcpCall',
      data: {
        connection: { url: tools },
        selectedTool: 'say',
        toolArguments: { words: '$ask.text' },
        onUnknownOutcome: 'repeat',
      },
    },
    call(sink, 'told', { header: 'X-Answer: $tool.result' }),
    out('$decide.answers.urgent.noul $tool.result'),
  ]);

/** A tool that must not be used twice, behind a sign-in that fails at times: also in the first attempt after a crash. */
export const signedGraph = ({ signed_tools_credential }: Places) =>
  buildChain([
    start,
    {
      id: NOTE_NODE,
      type: 'mcpCall',
      data: {
        credentialId: signed_tools_credential,
        selectedTool: 'note',
        toolArguments: { words: '$start.body.label' },
        onUnknownOutcome: 'fail',
        retryEnabled: true,
        retryMaxAttempts: 10,
        retryWaitSeconds: 1,
      },
    },
    out(`$${NOTE_NODE}.result $start.body.label`),
  ]);

/** An agent that uses a node and then answers, each in recorded steps, then an effect that uses its answer. */
export const agentGraph = ({ sink, model_credential }: Places) =>
  buildGraph(
    [
      start,
      {
        id: 'lead',
        type: 'agent',
        data: { credentialId: model_credential, model: 'small', userMessage: '$start.body.label' },
      },
      { id: 'shape', type: 'set', data: { mappings: [{ key: 'said', value: '$start.body.label' }] } },
      call(sink, 'told', { header: 'X-Answer: $lead.text' }),
      out('$lead.text'),
    ],
    ['start>lead', 'shape:tool-output>lead:tool-input', 'lead>told', 'told>out'],
  );

/** The places that graphs refer to. */
export interface Places {
  readonly sink: string;
  readonly child: string;
  readonly slow_child: string;
  /** Ids of credentials. */
  readonly model_credential: string;
  readonly decision_credential: string;
  /** Of an MCP server that people sign in to. */
  readonly signed_tools_credential: string;
  /** Address of the MCP server. */
  readonly tools: string;
}
