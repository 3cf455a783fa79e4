import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../packages/engine/src/json.ts';
import { catalog } from '../../packages/nodes/src/catalog.ts';
import { chainOf, graphOf, type NodeText } from './graph-of.ts';

const start: NodeText = { id: 'start', type: 'textInput' };
const double: NodeText = {
  id: 'double',
  type: 'set',
  data: { mappings: [{ key: 'value', value: '$start.body.value * 2' }] },
};
const out = (message: string): NodeText => ({ id: 'out', type: 'output', data: { message } });
const wait = (id: string, duration: number): NodeText => ({ id, type: 'wait', data: { duration } });

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

interface Call {
  readonly body?: string;
  readonly onUnknownOutcome?: 'repeat' | 'fail';
  readonly label?: string;
  readonly header?: string;
  readonly data?: JsonObject;
}

/** A request that changes something outside, for the node and the run that send it. */
function call(sink: string, id: string, options: Call = {}): NodeText {
  const { onUnknownOutcome = 'repeat', label = '$start.body.label', header, data, body = '{}' } = options;
  const headers = header === undefined ? '' : `-H '${header}' `;
  const curl = `curl -X POST '${sink}/${id}/${label}' ${headers}-d '${body}'`;
  return { id, type: 'http', data: { curl, onUnknownOutcome, ...data } };
}

/** Pure work, an effect, a pause, a second effect, a pause: something to interrupt at every stage. */
const effectsGraph = (sink: string, onUnknownOutcome: 'repeat' | 'fail') =>
  chainOf([
    start,
    double,
    call(sink, 'first', { onUnknownOutcome }),
    wait('pause', 20),
    call(sink, 'second', { onUnknownOutcome }),
    wait('rest', 120),
    out('$double.value $first.body.answer $second.body.answer'),
  ]);

/** Starts one run that nothing waits for, and one that it waits for. */
function parentGraph(child: string) {
  const run = (id: string, executeDoNotWait: boolean): NodeText => ({
    id,
    type: 'execute',
    data: {
      executeWorkflowId: child,
      executeDoNotWait,
      executeInputMappings: [{ key: 'label', value: `$start.body.label + "-${id}"` }],
    },
  });
  return chainOf([start, run('tell', true), run('ask', false), out('$ask.outputs.out.result')]);
}

const increment: NodeText = {
  id: 'count',
  type: 'variable',
  data: { variableName: COUNTER, variableValue: `($global.${COUNTER} ?? 0) + 1`, isGlobal: true },
};

/** A secret goes through rows, a variable of the run, a global one and what a service answers; the sink must get it whole. */
const secretGraph = (sink: string) =>
  chainOf([
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

const ITEMS = [0, 1, 2];
const itemOf = (label: string, at: number) => `${label}.${at}`;

const loopGraph = (sink: string) =>
  graphOf(
    [
      start,
      { id: 'each', type: 'loop', data: { arrayExpression: '$start.body.items' } },
      call(sink, 'item', { label: '$each.item' }),
      out('$each.total $start.body.label'),
    ],
    ['start>each', 'each:loop>item', 'item>each:loop', 'each:done>out'],
  );

/** Long enough that only a cancellation ends it while the harness waits. */
const ENDLESS_MS = 50_000;

/** Longer than what a run waits for in memory; the harness lets this time pass at once. */
const HURRIED_MS = 61_000;
/** A pause that it does not shorten. */
const UNHURRIED_MS = 3_600_000;
/** Tells pauses of the one kind from those of the other. */
export const HURRIED_SECONDS = 120;

/** Hands the address on, and acts on what the call to it brings. */
const askingGraph = (sink: string) =>
  graphOf(
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
const reviewedGraph = (sink: string) =>
  graphOf(
    [
      start,
      { id: 'ask', type: 'humanReview', data: { draft: 'a draft for $start.body.label' } },
      call(sink, ADDRESS_NODE, { body: '{"url": "$ask.reviewUrl"}' }),
      call(sink, 'act', { header: 'X-Answer: $ask.text' }),
      out('$act.body.answer'),
    ],
    ['start>ask', 'ask:review>tell', 'ask:accepted>act', 'act>out'],
  );

const uncalledGraph = (sink: string) =>
  graphOf(
    [
      start,
      { id: 'ask', type: 'callback', data: { timeoutSeconds: 1 } },
      call(sink, 'late'),
      out('$late.body.answer'),
    ],
    ['start>ask', 'ask:timed_out>late', 'late>out'],
  );

/** A decision model, a language model and a tool, each with a recorded answer, then an effect that uses them. */
const modelledGraph = ({ sink, model_credential, decision_credential, tools }: Places) =>
  chainOf([
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

/** What graphs refer to. */
export interface Places {
  readonly sink: string;
  readonly child: string;
  readonly slow_child: string;
  /** Ids of credentials. */
  readonly model_credential: string;
  readonly decision_credential: string;
  /** Address of the MCP server. */
  readonly tools: string;
}

/** What must come of runs of one graph. */
export interface GraphKind {
  readonly graph: (places: Places) => ReturnType<typeof graphOf>;
  /** In which order its nodes must have finished. */
  readonly order: string;
  /** `success` unless it is said otherwise. */
  readonly ends?: 'error' | 'cancelled';
  readonly output: (label: string) => string;
  /** What it changes outside, as the sink names it. */
  readonly effects?: (label: string) => readonly string[];
  /** Runs that it starts, as their labels. */
  readonly children?: (label: string) => readonly string[];
  /** What those are; `child` unless it is said otherwise. */
  readonly children_are?: string;
  /** A node that finishes at any time between the others. */
  readonly beside?: string;
  /** Leaves memory, so that a caller is told that it is pending. */
  readonly waits?: true;
  /** It ends only when its address is called, in one of these ways. */
  readonly asks?: 'callback' | 'review';
  /** The target honours no key. */
  readonly keyless?: true;
  /** A caller would not be answered as others are. */
  readonly queued_only?: true;
}

const numberOf = (label: string) => Number(label.split('-')[1]);
export const inputOf = (label: string) => ({
  label,
  value: numberOf(label),
  items: ITEMS.map((at) => itemOf(label, at)),
});

const twoEffects = {
  order: 'start,double,first,pause,second,rest,out',
  output: (label: string) => `${numberOf(label) * 2} first ${label} second ${label}`,
  effects: (label: string) => [`${label}/first`, `${label}/second`],
};

const asked = {
  order: 'start,ask,act,out',
  beside: ADDRESS_NODE,
  output: (label: string) => `act ${label}`,
  effects: (label: string) => [`${label}/${ADDRESS_NODE}`, `${label}/act`],
  waits: true,
} as const;

export const KINDS = {
  safe: { ...twoEffects, graph: ({ sink }) => effectsGraph(sink, 'repeat') },
  unsafe: { ...twoEffects, graph: ({ sink }) => effectsGraph(sink, 'fail'), keyless: true },
  parent: {
    graph: ({ child }) => parentGraph(child),
    order: 'start,tell,ask,out',
    output: (label) => `child ${label}-ask`,
    children: (label) => [`${label}-tell`, `${label}-ask`],
  },
  pure: {
    graph: () => chainOf([start, double, out('twice $double.value')]),
    order: 'start,double,out',
    output: (label) => `twice ${numberOf(label) * 2}`,
  },
  retry: {
    graph: ({ sink }) =>
      chainOf([
        start,
        call(sink, REFUSED_ONCE, {
          data: { retryEnabled: true, retryMaxAttempts: 5, retryWaitSeconds: 1 },
        }),
        out('$flaky.body.answer'),
      ]),
    order: 'start,flaky,out',
    output: (label) => `flaky ${label}`,
    effects: (label) => [`${label}/${REFUSED_ONCE}`],
  },
  loop: {
    graph: ({ sink }) => loopGraph(sink),
    order: 'start,each,item,each,item,each,item,each,out',
    output: (label) => `${ITEMS.length} ${label}`,
    effects: (label) => ITEMS.map((at) => `${itemOf(label, at)}/item`),
  },
  global: {
    graph: ({ sink }) => chainOf([start, increment, call(sink, 'counted'), out('$counted.body.answer')]),
    order: 'start,count,counted,out',
    output: (label) => `counted ${label}`,
    effects: (label) => [`${label}/counted`],
  },
  secret: {
    graph: ({ sink }) => secretGraph(sink),
    order: 'start,keep,share,keyed,pause,again,out',
    output: (label) => `keyed ${label} again ${label}`,
    effects: (label) => [`${label}/keyed`, `${label}/again`],
  },
  /** Its error workflow is the kind `handler`. */
  failing: {
    graph: ({ sink }) =>
      chainOf([
        start,
        call(sink, 'before'),
        { id: 'fail', type: 'throwError', data: { errorMessage: 'failed $start.body.label' } },
      ]),
    order: 'start,before,fail',
    ends: 'error',
    output: (label) => `failed ${label}`,
    effects: (label) => [`${label}/before`],
    queued_only: true,
  },
  cancelled: {
    graph: ({ sink }) => chainOf([start, call(sink, 'before'), wait('rest', ENDLESS_MS), out('late')]),
    order: '',
    ends: 'cancelled',
    output: () => '',
    effects: (label) => [`${label}/before`],
    queued_only: true,
  },
  asking: { ...asked, graph: ({ sink }) => askingGraph(sink), asks: 'callback' },
  reviewed: { ...asked, graph: ({ sink }) => reviewedGraph(sink), asks: 'review' },
  uncalled: {
    graph: ({ sink }) => uncalledGraph(sink),
    order: 'start,ask,late,out',
    output: (label) => `late ${label}`,
    effects: (label) => [`${label}/late`],
    waits: true,
  },
  pausing: {
    graph: ({ sink }) =>
      chainOf([
        start,
        call(sink, 'before'),
        wait('pause', HURRIED_MS),
        call(sink, 'behind'),
        out('$behind.body.answer'),
      ]),
    order: 'start,before,pause,behind,out',
    output: (label) => `behind ${label}`,
    effects: (label) => [`${label}/before`, `${label}/behind`],
    waits: true,
    queued_only: true,
  },
  modelled: {
    graph: (places) => modelledGraph(places),
    order: 'start,decide,ask,tool,told,out',
    output: (label) => `0.9 model ${label}`,
    effects: (label) => [`${label}/told`],
  },
  /** Nothing is sent to its address in time. */
  unsent: {
    graph: ({ sink }) =>
      graphOf(
        [start, { id: 'slot', type: 'fileUploadTrigger' }, call(sink, 'late'), out('$late.body.answer')],
        ['start>late', 'slot:expired>late', 'late>out'],
      ),
    order: 'start,slot,late,out',
    output: (label) => `late ${label}`,
    effects: (label) => [`${label}/late`],
    waits: true,
    queued_only: true,
  },
  /** The run that it waits for leaves memory, and so it does itself. */
  patient: {
    graph: ({ slow_child }) => parentGraph(slow_child),
    order: 'start,tell,ask,out',
    output: (label) => `late ${label}-ask`,
    children: (label) => [`${label}-tell`, `${label}-ask`],
    children_are: 'slow_child',
    waits: true,
  },
  /** Cancelled while no process has it. */
  recalled: {
    graph: ({ sink }) => chainOf([start, call(sink, 'before'), wait('rest', UNHURRIED_MS), out('late')]),
    order: '',
    ends: 'cancelled',
    output: () => '',
    effects: (label) => [`${label}/before`],
    waits: true,
    queued_only: true,
  },
  slow_child: {
    graph: ({ sink }) => uncalledGraph(sink),
    order: 'start,ask,late,out',
    output: (label) => `late ${label}`,
    effects: (label) => [`${label}/late`],
  },
  child: {
    graph: ({ sink }) => chainOf([start, call(sink, 'child'), out('$child.body.answer')]),
    order: 'start,child,out',
    output: (label) => `child ${label}`,
    effects: (label) => [`${label}/child`],
  },
  handler: {
    graph: () => chainOf([start, wait('pause', 20), out('$start.body.error')]),
    order: 'start,pause,out',
    output: (label) => label,
  },
} as const satisfies Record<string, GraphKind>;

export type Kind = keyof typeof KINDS;
/** Other runs start these, the harness never. */
export type StartedKind = Exclude<Kind, 'child' | 'slow_child' | 'handler'>;

export const kindOf = (kind: Kind): GraphKind => KINDS[kind];

/** In percent, for scenarios that mix all of them. */
export const EVERY_KIND: Readonly<Record<StartedKind, number>> = {
  safe: 13,
  unsafe: 10,
  parent: 8,
  pure: 10,
  retry: 6,
  loop: 6,
  global: 10,
  secret: 6,
  failing: 4,
  cancelled: 4,
  asking: 5,
  reviewed: 4,
  uncalled: 3,
  pausing: 3,
  unsent: 1,
  patient: 2,
  recalled: 2,
  modelled: 3,
};

/** Those with nodes that do things step by step, or wait. */
export const KINDS_WITH_STEPS: Readonly<Partial<Record<StartedKind, number>>> = {
  safe: 15,
  parent: 10,
  asking: 20,
  reviewed: 20,
  uncalled: 10,
  pausing: 5,
  unsent: 5,
  patient: 5,
  modelled: 10,
};

/** Types of nodes with steps that no kind of run in `KINDS_WITH_STEPS` has: nothing would be known about their crashes. */
export function typesNeverKilled(): string[] {
  const places = {
    sink: '',
    child: '',
    slow_child: '',
    model_credential: '',
    decision_credential: '',
    tools: '',
  };
  const graphs = Object.keys(KINDS_WITH_STEPS).map((kind) => kindOf(kind as Kind).graph(places));
  const killed = new Set(graphs.flatMap(({ nodes }) => nodes.map(({ type }) => type)));
  const withSteps = catalog.all.filter(({ effect }) => effect === 'steps');
  return withSteps.map(({ type }) => type).filter((type) => !killed.has(type));
}
