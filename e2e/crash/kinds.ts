import { catalog } from '../../packages/nodes/src/catalog.ts';
import { buildChain, buildGraph } from './graphs/build-graph.ts';
import {
  ADDRESS_NODE,
  agentGraph,
  askingGraph,
  call,
  double,
  ENDLESS_MS,
  effectsGraph,
  HURRIED_MS,
  ITEMS,
  increment,
  loopGraph,
  modelledGraph,
  NOTE_NODE,
  nameItem,
  out,
  type Places,
  parentGraph,
  REFUSED_ONCE,
  reviewedGraph,
  secretGraph,
  signedGraph,
  start,
  UNHURRIED_MS,
  uncalledGraph,
  wait,
} from './graphs/graphs.ts';

/** The outcome that runs of one graph must have. */
export interface GraphKind {
  readonly graph: (places: Places) => ReturnType<typeof buildGraph>;
  /** In which order its nodes must have finished. */
  readonly order: string;
  /** `success` unless it is said otherwise. */
  readonly ends?: 'error' | 'cancelled';
  readonly output: (label: string) => string;
  /** The effects that it has outside, as the sink names them. */
  readonly effects?: (label: string) => readonly string[];
  /** Runs that it starts, as their labels. */
  readonly children?: (label: string) => readonly string[];
  /** The kind of those runs; `child` unless it is said otherwise. */
  readonly children_are?: string;
  /** A node that finishes at any time between the others. */
  readonly beside?: string;
  /** Leaves memory, so that a caller gets the answer that it is pending. */
  readonly waits?: true;
  /** It ends only when its address is called, in one of these ways. */
  readonly asks?: 'callback' | 'review';
  /** Calls of language models that it needs. */
  readonly model_calls?: number;
  /** The target honours no key. */
  readonly keyless?: true;
  /** A caller would not be answered as others are. */
  readonly queued_only?: true;
  /** Of its workflow. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Waits for a place of its workflow. */
  readonly held?: true;
}

const parseNumber = (label: string) => Number(label.split('-')[1]);
export const buildInput = (label: string) => ({
  label,
  value: parseNumber(label),
  items: ITEMS.map((at) => nameItem(label, at)),
});

const twoEffects = {
  order: 'start,double,first,pause,second,rest,out',
  output: (label: string) => `${parseNumber(label) * 2} first ${label} second ${label}`,
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
  limited: {
    ...twoEffects,
    graph: ({ sink }) => effectsGraph(sink, 'repeat'),
    settings: { concurrency_limit: 3 },
    held: true,
    queued_only: true,
  },
  parent: {
    graph: ({ child }) => parentGraph(child),
    order: 'start,tell,ask,out',
    output: (label) => `child ${label}-ask`,
    children: (label) => [`${label}-tell`, `${label}-ask`],
  },
  pure: {
    graph: () => buildChain([start, double, out('twice $double.value')]),
    order: 'start,double,out',
    output: (label) => `twice ${parseNumber(label) * 2}`,
  },
  retry: {
    graph: ({ sink }) =>
      buildChain([
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
    effects: (label) => ITEMS.map((at) => `${nameItem(label, at)}/item`),
  },
  global: {
    graph: ({ sink }) => buildChain([start, increment, call(sink, 'counted'), out('$counted.body.answer')]),
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
      buildChain([
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
    graph: ({ sink }) => buildChain([start, call(sink, 'before'), wait('rest', ENDLESS_MS), out('late')]),
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
      buildChain([
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
    model_calls: 1,
  },
  agent: {
    graph: (places) => agentGraph(places),
    order: 'start,lead,told,out',
    output: (label) => `model ${label}`,
    effects: (label) => [`${label}/told`],
    model_calls: 2,
  },
  /** In a scenario of its own: a process that dies while it renews the sign-in holds all others up for half a minute. */
  signed: {
    graph: (places) => signedGraph(places),
    order: 'start,noted,out',
    output: (label) => `noted ${label}`,
    effects: (label) => [`${label}/${NOTE_NODE}`],
    keyless: true,
  },
  /** Nothing is uploaded in time: the "expired" output runs, and the run ends with an error. */
  unsent: {
    graph: ({ sink }) =>
      buildGraph(
        [start, { id: 'slot', type: 'fileUploadTrigger' }, call(sink, 'late'), out('$late.body.answer')],
        ['start>late', 'slot:expired>late', 'late>out'],
      ),
    order: 'start,slot,late,out',
    ends: 'error',
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
    graph: ({ sink }) => buildChain([start, call(sink, 'before'), wait('rest', UNHURRIED_MS), out('late')]),
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
    graph: ({ sink }) => buildChain([start, call(sink, 'child'), out('$child.body.answer')]),
    order: 'start,child,out',
    output: (label) => `child ${label}`,
    effects: (label) => [`${label}/child`],
  },
  handler: {
    graph: () => buildChain([start, wait('pause', 20), out('$start.body.error')]),
    order: 'start,pause,out',
    output: (label) => label,
  },
} as const satisfies Record<string, GraphKind>;

export type Kind = keyof typeof KINDS;
/** Other runs start these, the harness never. */
export type StartedKind = Exclude<Kind, 'child' | 'slow_child' | 'handler'>;

export const getGraphKind = (kind: Kind): GraphKind => KINDS[kind];

/** In percent, for scenarios that mix all of them. */
export const EVERY_KIND: Readonly<Record<Exclude<StartedKind, 'signed'>, number>> = {
  safe: 9,
  unsafe: 9,
  limited: 3,
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
  agent: 2,
};

/** Those with nodes that do things step by step, or wait. */
export const KINDS_WITH_STEPS: Readonly<Partial<Record<StartedKind, number>>> = {
  safe: 10,
  parent: 10,
  asking: 20,
  reviewed: 20,
  uncalled: 10,
  pausing: 5,
  unsent: 5,
  patient: 5,
  modelled: 10,
  agent: 5,
};

/**
 * Types of nodes with steps that no kind of run in `KINDS_WITH_STEPS` has: nothing would be known about their crashes.
 * A node that works in a container of its own for minutes is none of them: its file of real containers ends the
 * service below it, and `crashes.test.ts` ends it after each of its steps.
 */
export function typesNeverKilled(): string[] {
  const places = {
    sink: '',
    child: '',
    slow_child: '',
    model_credential: '',
    decision_credential: '',
    signed_tools_credential: '',
    tools: '',
  };
  const graphs = Object.keys(KINDS_WITH_STEPS).map((kind) => getGraphKind(kind as Kind).graph(places));
  const killed = new Set(graphs.flatMap(({ nodes }) => nodes.map(({ type }) => type)));
  const withSteps = catalog.all.filter(({ effect, traits }) => effect === 'steps' && !traits?.workspace);
  return withSteps.map(({ type }) => type).filter((type) => !killed.has(type));
}
