import {
  type Catalog,
  isTrigger,
  type Json,
  type JsonObject,
  renameLabel,
  type WorkflowDocument,
  type WorkflowEdge,
  type WorkflowNode,
} from '@millrace/engine';
import { collectIds, freeId, freeLabel, sourceHandle, targetHandle } from '../../features/document/edit.ts';
import { getNodeLabel } from '../../lib/graph/node-label.ts';

export interface Extraction {
  /** The new workflow: its inputs, the chosen nodes, and what they hand back. */
  workflow: WorkflowDocument;
  /** The document with one node in place of the chosen ones; needs the id of the new workflow. */
  replace(workflow_id: string): { document: WorkflowDocument; id: string };
  /** Names under which the new workflow is given values. */
  inputs: readonly string[];
  /** Labels of chosen nodes whose outputs others read. */
  outputs: readonly string[];
}

type ExtractProblem = 'nothing' | 'start' | 'annotation' | 'branches' | 'loop' | 'circle';

const START = 'start';
const RESULT = 'result';
const STEP = 280;
/** Stands in for a label until its references are rewritten; no real label looks like this. */
const marker = (index: number) => `millraceExtracted${index}x`;

/** Replaces every reference to some labels by other text, in every field that may hold one. */
function rewrite(
  catalog: Catalog,
  nodes: readonly WorkflowNode[],
  texts: ReadonlyMap<string, string>,
): WorkflowNode[] {
  let document: WorkflowDocument = { nodes: [...nodes], edges: [] };
  const marks: [string, string][] = [];
  for (const [label, text] of texts) {
    const own = document.nodes.find((node) => getNodeLabel(node) === label);
    const standIn: WorkflowNode = { id: ' ', type: 'set', position: { x: 0, y: 0 }, data: { label } };
    const mark = marker(marks.length);
    const given = own ? document : { ...document, nodes: [...document.nodes, standIn] };
    const renamed = renameLabel(given, catalog, { node_id: own?.id ?? ' ', label: mark });
    document = { ...renamed, nodes: renamed.nodes.filter((node) => node.id !== ' ') };
    marks.push([mark, text]);
  }
  const replaced = marks.reduce(
    (text, [mark, wanted]) => text.replaceAll(mark, wanted),
    JSON.stringify(document.nodes),
  );
  return JSON.parse(replaced) as WorkflowNode[];
}

/** Labels among `labels` that any of the nodes reads. */
function readLabels(catalog: Catalog, nodes: readonly WorkflowNode[], labels: readonly string[]): string[] {
  const texts = new Map(labels.map((label, index) => [label, marker(index)]));
  const outsiders = nodes.filter((node) => !labels.includes(getNodeLabel(node)));
  const rewritten = JSON.stringify(rewrite(catalog, outsiders, texts));
  return labels.filter((_, index) => rewritten.includes(marker(index)));
}

interface Cut {
  chosen: WorkflowNode[];
  rest: WorkflowNode[];
  inner: WorkflowEdge[];
  entering: WorkflowEdge[];
  leaving: WorkflowEdge[];
}

function cutOut(document: WorkflowDocument, ids: ReadonlySet<string>): Cut {
  return {
    chosen: document.nodes.filter((node) => ids.has(node.id)),
    rest: document.nodes.filter((node) => !ids.has(node.id)),
    inner: document.edges.filter((edge) => ids.has(edge.source) && ids.has(edge.target)),
    entering: document.edges.filter((edge) => !ids.has(edge.source) && ids.has(edge.target)),
    leaving: document.edges.filter((edge) => ids.has(edge.source) && !ids.has(edge.target)),
  };
}

function startsRuns(catalog: Catalog, { type, data }: WorkflowNode): boolean {
  const definition = catalog.get(type);
  return definition !== undefined && isTrigger(definition, data);
}

function findProblem(
  catalog: Catalog,
  document: WorkflowDocument,
  { chosen, entering, leaving }: Cut,
): ExtractProblem | undefined {
  if (chosen.length === 0) return 'nothing';
  const traits = chosen.map((node) => catalog.get(node.type)?.traits);
  if (chosen.some((node) => startsRuns(catalog, node))) return 'start';
  if (traits.some((item) => item !== undefined && item.schedule !== 'normal')) return 'annotation';
  if (
    [...entering, ...leaving].some((edge) => targetHandle(edge) === 'loop' || sourceHandle(edge) === 'loop')
  )
    return 'loop';
  if (leaving.some((edge) => sourceHandle(edge) !== 'output')) return 'branches';
  // A path that leaves the chosen nodes and comes back would run through the new node twice.
  const outside = new Set(leaving.map((edge) => edge.target));
  for (const at of outside) {
    for (const edge of document.edges) if (edge.source === at) outside.add(edge.target);
  }
  return chosen.some((node) => outside.has(node.id)) ? 'circle' : undefined;
}

const place = (nodes: readonly WorkflowNode[]) => ({
  left: Math.min(...nodes.map((node) => node.position.x)),
  right: Math.max(...nodes.map((node) => node.position.x)),
  y: nodes.reduce((sum, node) => sum + node.position.y, 0) / Math.max(1, nodes.length),
});

const row = (key: string, value: Json): JsonObject => ({ key, value });

function innerWorkflow(catalog: Catalog, cut: Cut, names: { inputs: string[]; outputs: string[] }) {
  const { chosen, inner, entering, leaving } = cut;
  const texts = new Map(names.inputs.map((label) => [label, `${START}.body.${label}`]));
  const sources = new Set(entering.map((edge) => edge.source));
  const before = cut.rest.filter((node) => sources.has(node.id));
  const entries = new Set(
    chosen.filter((node) => !inner.some((edge) => edge.target === node.id)).map(({ id }) => id),
  );
  const nodes = rewrite(catalog, chosen, texts).map((node) => {
    const [only] = before;
    if (!entries.has(node.id) || before.length !== 1 || !only) return node;
    // `$input` of a first node meant what stood before it.
    return rewrite(catalog, [node], new Map([['input', `${START}.body.${getNodeLabel(only)}`]]))[0] ?? node;
  });
  const { left, right, y } = place(chosen);
  const start: WorkflowNode = {
    id: START,
    type: 'textInput',
    position: { x: left - STEP, y },
    data: { label: START, inputFields: names.inputs.map((key) => ({ key })) },
  };
  const result: WorkflowNode = {
    id: RESULT,
    type: 'set',
    position: { x: right + STEP, y },
    data: { label: RESULT, mappings: names.outputs.map((label) => row(label, `$${label}`)) },
  };
  const exits = new Set(leaving.map((edge) => edge.source));
  const last = names.outputs.length > 0 ? [result] : [];
  const edges: WorkflowEdge[] = [
    ...[...entries].map((id) => ({ id: `edge_${START}_${id}`, source: START, target: id })),
    ...inner,
    ...(last.length > 0
      ? [...exits].map((id) => ({ id: `edge_${id}_${RESULT}`, source: id, target: RESULT }))
      : []),
  ];
  return { nodes: [start, ...nodes, ...last], edges };
}

/**
 * Takes nodes out into a workflow of their own. What they read from nodes outside becomes its input, what nodes outside
 * read from them becomes its result, and every reference on both sides follows.
 */
export function extract(
  catalog: Catalog,
  document: WorkflowDocument,
  { ids, label: wish }: { ids: ReadonlySet<string>; label: string },
): Extraction | { problem: ExtractProblem } {
  const cut = cutOut(document, ids);
  const problem = findProblem(catalog, document, cut);
  if (problem) return { problem };
  const { chosen, rest, entering, leaving } = cut;
  const sources = new Set(entering.map((edge) => edge.source));
  const before = rest.filter((node) => sources.has(node.id)).map(getNodeLabel);
  const inputs = [...new Set([...before, ...readLabels(catalog, chosen, rest.map(getNodeLabel))])];
  const exits = chosen.filter((node) => leaving.some((edge) => edge.source === node.id)).map(getNodeLabel);
  const outputs = [...new Set([...exits, ...readLabels(catalog, rest, chosen.map(getNodeLabel))])];
  const label = freeLabel({ nodes: rest, edges: [] }, wish);

  const replace = (workflow_id: string) => {
    const texts = new Map(outputs.map((name) => [name, `${label}.outputs.${RESULT}.${name}`]));
    const id = freeId(collectIds(document.nodes), label);
    const { left, y } = place(chosen);
    const node: WorkflowNode = {
      id,
      type: 'execute',
      position: { x: left, y },
      data: {
        label,
        executeWorkflowId: workflow_id,
        executeInputMappings: inputs.map((name) => row(name, `$${name}`)),
        executeInput: '',
        executeDoNotWait: false,
      },
    };
    const taken = new Set<string>();
    const once = (edge: WorkflowEdge) => {
      const key = `${edge.source} ${edge.target} ${sourceHandle(edge)} ${targetHandle(edge)}`;
      return taken.has(key) ? false : taken.add(key) !== undefined;
    };
    const edges = document.edges
      .filter((edge) => !(ids.has(edge.source) && ids.has(edge.target)))
      .map((edge): WorkflowEdge => {
        if (ids.has(edge.target))
          return { id: edge.id, source: edge.source, target: id, ...pickHandle(edge) };
        return ids.has(edge.source) ? { ...edge, source: id } : edge;
      })
      .filter(once);
    return { document: { nodes: [...rewriteFollowers(texts), node], edges }, id };
  };

  /** `$input` behind the new node means what one of the chosen nodes gave. */
  function rewriteFollowers(texts: ReadonlyMap<string, string>): WorkflowNode[] {
    return rewrite(catalog, rest, texts).map((node) => {
      const from = leaving.filter((edge) => edge.target === node.id);
      const [only] = from;
      const others = document.edges.some((edge) => edge.target === node.id && !ids.has(edge.source));
      const source = only && chosen.find(({ id }) => id === only.source);
      if (from.length !== 1 || others || !source) return node;
      const text = `${label}.outputs.${RESULT}.${getNodeLabel(source)}`;
      return rewrite(catalog, [node], new Map([['input', text]]))[0] ?? node;
    });
  }

  return { workflow: innerWorkflow(catalog, cut, { inputs, outputs }), replace, inputs, outputs };
}

const pickHandle = (edge: WorkflowEdge) =>
  edge.sourceHandle ? { sourceHandle: edge.sourceHandle } : ({} as const);
