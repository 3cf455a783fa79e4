import type { JsonObject } from '../../packages/engine/src/json.ts';

interface NodeText {
  readonly id: string;
  readonly type: string;
  readonly data?: JsonObject;
}

/** Nodes one after another, as the editor would store them. */
function chainOf(nodes: readonly NodeText[]) {
  return {
    nodes: nodes.map(({ id, type, data }) => ({
      id,
      type,
      position: { x: 0, y: 0 },
      data: { label: id, ...data },
    })),
    edges: nodes.slice(1).map((target, at) => ({ id: `e${at}`, source: nodes[at]?.id, target: target.id })),
  };
}

const start: NodeText = { id: 'start', type: 'textInput' };
const out = (message: string): NodeText => ({ id: 'out', type: 'output', data: { message } });

/** A request that changes something outside, for the node and the run that send it. */
const call = (sink: string, id: string, onUnknownOutcome: 'repeat' | 'fail'): NodeText => ({
  id,
  type: 'http',
  data: { curl: `curl -X POST '${sink}/${id}/$start.body.label' -d '{}'`, onUnknownOutcome },
});

/** Pure work, an effect, a pause, a second effect, a pause: something to interrupt at every stage. */
export const effectsGraph = (sink: string, onUnknownOutcome: 'repeat' | 'fail') =>
  chainOf([
    start,
    { id: 'double', type: 'set', data: { mappings: [{ key: 'value', value: '$start.body.value * 2' }] } },
    call(sink, 'first', onUnknownOutcome),
    { id: 'pause', type: 'wait', data: { duration: 20 } },
    call(sink, 'second', onUnknownOutcome),
    { id: 'rest', type: 'wait', data: { duration: 120 } },
    out('$double.value $first.body.answer $second.body.answer'),
  ]);

export const childGraph = (sink: string) =>
  chainOf([start, call(sink, 'child', 'repeat'), out('$child.body.answer')]);

/** Starts one run that nobody waits for, and one that it waits for. */
export const parentGraph = (child: string) => {
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
};

/** A run of which it is known what must come of it. */
export type Kind = 'safe' | 'unsafe' | 'parent';

const numberOf = (label: string) => Number(label.split('-')[1]);
export const inputOf = (label: string) => ({ label, value: numberOf(label) });

/** What a run must put out. */
export const outputOf = (label: string, kind: Kind | 'child') => {
  if (kind === 'child') return `child ${label}`;
  if (kind === 'parent') return `child ${label}-ask`;
  return `${numberOf(label) * 2} first ${label} second ${label}`;
};

/** In which order its nodes must have finished. */
export const orderOf = (kind: Kind | 'child'): string => {
  if (kind === 'child') return 'start,child,out';
  return kind === 'parent' ? 'start,tell,ask,out' : 'start,double,first,pause,second,rest,out';
};

/** Runs that it starts, as their labels. */
export const childrenOf = (label: string, kind: Kind): readonly string[] =>
  kind === 'parent' ? [`${label}-tell`, `${label}-ask`] : [];

/** What it changes outside, as the sink names it. */
export const effectsOf = (label: string, kind: Kind | 'child'): readonly string[] => {
  if (kind === 'child') return [`${label}/child`];
  return kind === 'parent' ? [] : [`${label}/first`, `${label}/second`];
};
