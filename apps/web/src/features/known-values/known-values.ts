import {
  type Catalog,
  type Explanation,
  type ExpressionMode,
  inlineExplain,
  type Json,
  type MissingReference,
  previewScope,
  type Scope,
  type WorkflowNode,
} from '@millrace/engine';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { getRound } from '../../lib/run/rounds.ts';
import { sourceHandle, targetHandle } from '../document/edit.ts';
import type { DocumentState } from '../document/store.ts';
import { inputFormFields, sampleBody } from '../run-view/input/input-form.ts';
import { lastRecord, type NodeRecord, type NodeRun, type RunState } from '../run-view/run-store.ts';
import type { Ambient } from './ambient.ts';
import { sampleOutput } from './sample-outputs.ts';

export interface KnownValues {
  /** Top-level names of an expression in this node with what they held last. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The same, with samples of nodes that gave nothing yet; for completion only. */
  readonly shapes: Readonly<Record<string, unknown>>;
  /** One line per name. */
  readonly details: Readonly<Record<string, string>>;
  /** Labels of upstream nodes without output, and `input` if no direct source has output. */
  readonly silent: ReadonlySet<string>;
  readonly scope: Scope;
}

export interface KnownOptions {
  ambient: Ambient;
  catalog: Catalog;
  /** The round of loops in which the node is looked at; the newest one by default. */
  round?: string | undefined;
}

/** Nodes before this one, nearest first. */
export function listUpstream(document: DocumentState['document'], id: string): string[] {
  const sources = new Map<string, string[]>();
  for (const { source, target } of document.edges)
    sources.set(target, [...(sources.get(target) ?? []), source]);
  const found = new Set<string>([id]);
  for (const at of found) for (const source of sources.get(at) ?? []) found.add(source);
  found.delete(id);
  return [...found];
}

const randomHex = (): string => crypto.randomUUID().replaceAll('-', '');

/** A result counts in a round that it belongs to itself, or in one of a loop inside of it. */
const isSeenFrom = (round: string, record: NodeRecord): boolean => {
  const own = getRound(record);
  return own === '' || own === round || round.startsWith(`${own}.`);
};

function findOutput(node: WorkflowNode, run: NodeRun | undefined, round: string): Json | undefined {
  const pinned = node.data['pinnedData'] ?? null;
  if (pinned !== null) return pinned;
  if (round === '') return lastRecord(run)?.output;
  const seen = run?.records.filter((record) => isSeenFrom(round, record)) ?? [];
  const inRound = seen.filter((record) => getRound(record) !== '');
  return (inRound.at(-1) ?? seen.at(-1) ?? lastRecord(run))?.output;
}

/** The newest round of a node, or of what leads to it while it has not run. */
function newestRound(document: DocumentState['document'], nodes: RunState['nodes'], id: string): string {
  const own = lastRecord(nodes.get(id));
  if (own) return getRound(own);
  for (const edge of document.edges) {
    if (edge.target !== id || targetHandle(edge) === 'loop') continue;
    const records = nodes.get(edge.source)?.records ?? [];
    const isLoop = sourceHandle(edge) === 'loop';
    const record = isLoop ? records.findLast((item) => getRound(item) !== '') : records.at(-1);
    if (record) return getRound(record);
  }
  return '';
}

/** `$vars` as the variable nodes before this one left them. */
function collectVariables(
  nodes: readonly WorkflowNode[],
  outputs: ReadonlyMap<string, Json>,
): Record<string, Json> {
  const vars: Record<string, Json> = Object.create(null);
  for (const node of nodes) {
    const name = node.data['variableName'];
    const output = outputs.get(node.id);
    if (typeof name !== 'string' || typeof output !== 'object' || output === null || Array.isArray(output))
      continue;
    vars[name] = output['value'] ?? null;
  }
  return vars;
}

/**
 * The values that an expression in a node would see: pinned data first, then the last results on the canvas, then a
 * sample body from the input fields. Nothing runs for it.
 */
export function knownValues(
  { document }: Pick<DocumentState, 'document'>,
  run: Pick<RunState, 'nodes'>,
  id: string,
  { ambient, catalog, round = newestRound(document, run.nodes, id) }: KnownOptions,
): KnownValues {
  const upstream = new Set(listUpstream(document, id));
  const before = document.nodes.filter((node) => upstream.has(node.id));
  const body = sampleBody('defined', inputFormFields(document.nodes));
  const outputs = new Map<string, Json>();
  for (const node of before) {
    const output = findOutput(node, run.nodes.get(node.id), round);
    if (output !== undefined) outputs.set(node.id, output);
    else if (Array.isArray(node.data['inputFields']))
      outputs.set(node.id, { headers: {}, query: {}, body, ...body });
  }
  const sources = new Set(
    document.edges
      .filter((edge) => edge.target === id && targetHandle(edge) !== 'loop')
      .map((edge) => edge.source),
  );
  const direct = document.nodes.filter((node) => sources.has(node.id));
  // The output of a node that has not run is unknown, except for a start node: that of a sample call.
  const startsHere = direct.some((node) => catalog.get(node.type)?.traits.role === 'trigger');
  const vars = collectVariables(before, outputs);
  const { scope } = previewScope({
    node_results: before.flatMap((node) => {
      const output = outputs.get(node.id);
      return output === undefined ? [] : [{ node_id: node.id, label: getNodeLabel(node), output }];
    }),
    input_labels: direct.map(getNodeLabel),
    ...(startsHere ? { input_body: body } : {}),
    values: {
      vars,
      global: { ...ambient.global, ...vars },
      credentials: ambient.credentials,
      workflowName: ambient.workflow_name,
      workflowDescription: '',
      executionId: '',
    },
    now: Date.now,
    uuid: randomHex,
    random: Math.random,
    timezone: ambient.time_zone,
  });
  const silent = before.filter((node) => !outputs.has(node.id));
  const isInputSilent = !startsHere && direct.length > 0 && !direct.some((node) => outputs.has(node.id));
  const names = [
    ...new Set([
      'input',
      ...before.filter((node) => outputs.has(node.id)).map(getNodeLabel),
      'vars',
      'global',
      'credentials',
      'workflowName',
    ]),
  ];
  const values = Object.fromEntries(names.map((name) => [name, scope.lookup(name)]));
  const samples = new Map(silent.map((node) => [node.id, sampleOutput(catalog, node)]));
  const [input] = silent.filter((node) => sources.has(node.id)).map((node) => samples.get(node.id));
  return {
    values,
    shapes: {
      ...Object.fromEntries(silent.map((node) => [getNodeLabel(node), samples.get(node.id)])),
      ...values,
      ...(values['input'] === null && input !== undefined ? { input } : {}),
    },
    details: Object.fromEntries(
      before.map((node) => [getNodeLabel(node), catalog.get(node.type)?.title ?? node.type]),
    ),
    silent: new Set([...silent.map(getNodeLabel), ...(isInputSilent ? ['input'] : [])]),
    scope,
  };
}

interface Explained extends Omit<Explanation, 'missing'> {
  readonly missing: readonly MissingReference[];
  /** Nodes that the text reads and that gave nothing yet, so that nothing can be said about it. */
  readonly silent: readonly string[];
}

/** Every part of a text with its value, and what it reads in vain. */
export function explainText(text: string, mode: ExpressionMode, known: KnownValues): Explained {
  const explained = inlineExplain(text, mode, { scope: known.scope, names: Object.keys(known.values) });
  const readRoot = (reference: MissingReference) => /^\$?([A-Za-z_]\w*)/.exec(reference.text)?.[1] ?? '';
  const isSilent = (reference: MissingReference) => known.silent.has(readRoot(reference));
  return {
    ...explained,
    missing: explained.missing.filter((reference) => !isSilent(reference)),
    silent: [...new Set(explained.missing.filter(isSilent).map(readRoot))],
  };
}
