import {
  type CompiledNode,
  type CompiledWorkflow,
  isJsonObject,
  type PreviewNodeResult,
  type PreviewSources,
  preview,
  previewScope,
} from '@millrace/engine';

/** Values known before anything is computed; `input_body` is a body, or the whole input with its headers and query. */
export interface Shown {
  readonly node_id: string;
  readonly node_results: readonly PreviewNodeResult[];
  readonly input_body: unknown;
  readonly selected_loop_iteration_index: number | null;
}

/** Everything of a scope but the results and the place of the node. */
export type Surroundings = Omit<PreviewSources, 'node_results' | 'input_labels' | 'input_body'>;

/** Computing stops here, so that no document makes a preview slow. */
const MAX_COMPUTED = 100;
const COMPUTED_TYPES = new Set(['set', 'jsonOutputMapper']);
const INPUT_KEYS = new Set(['headers', 'query', 'body']);

/**
 * The results that the nodes before the given one gave or would give, in the order in which they run: pinned data
 * first, then what the editor shows, then what follows from that without running anything: the sample input, the chosen
 * round of the loops around the node, and nodes that only compute.
 */
export function knownResults(
  graph: CompiledWorkflow,
  shown: Shown,
  surroundings: Surroundings,
): PreviewNodeResult[] {
  const place = graph.indexOf(shown.node_id);
  const rounds = loopsAround(graph, place);
  const before = inOrder(graph, place);
  const results = withPinned(before, shown.node_results);
  const input = sampleInput(shown.input_body);
  let left = MAX_COMPUTED;
  for (const node of before) {
    if (left === 0) break;
    const opened = rounds.indexOf(node.index);
    if (isKnown(results, node, opened >= 0)) continue;
    const read = (text: unknown, mode: 'raw' | 'value'): unknown =>
      evaluateIn(text, mode, { graph, node, results, surroundings, input });
    const output =
      opened >= 0
        ? pickRound(read(node.data['arrayExpression'] ?? '$input', 'raw'), chosenRound(shown, opened))
        : computeOutput(graph, node, { results, input, read });
    if (output === undefined) continue;
    left--;
    dropEnd(results, node);
    results.push({ node_id: node.id, label: node.label, output });
  }
  return results;
}

/** The input of a run that the sample stands for; undefined when there is none. */
export function sampleInput(sample: unknown): { body: unknown } | undefined {
  if (sample === undefined || sample === null) return undefined;
  const isInput =
    isJsonObject(sample) &&
    Object.hasOwn(sample, 'body') &&
    Object.keys(sample).every((key) => INPUT_KEYS.has(key));
  const input = { headers: {}, query: {}, body: sample, ...(isInput ? sample : {}) };
  return { ...input, ...(isJsonObject(input.body) ? input.body : {}), body: input.body };
}

/** Loop nodes around a place, the innermost first; a loop node itself counts. */
export function loopsAround(graph: CompiledWorkflow, place: number): number[] {
  const node = graph.nodes[place];
  if (!node) return [];
  const around: number[] = node.opens >= 0 ? [node.index] : [];
  for (let loop = graph.loops[node.loop]; loop; loop = graph.loops[loop.outer]) around.push(loop.node);
  return around;
}

function inOrder(graph: CompiledWorkflow, place: number): CompiledNode[] {
  const around = new Set(loopsAround(graph, place));
  return graph.nodes
    .filter(({ index }) => around.has(index) || (index !== place && graph.precedes(index, place)))
    .sort((a, b) => (graph.rank[a.index] ?? 0) - (graph.rank[b.index] ?? 0));
}

function withPinned(
  before: readonly CompiledNode[],
  shown: readonly PreviewNodeResult[],
): PreviewNodeResult[] {
  const pinned = before.flatMap((node): PreviewNodeResult[] =>
    node.pinned === undefined
      ? []
      : [{ node_id: node.id, label: node.label, output: pinnedOutput(node, node.pinned) }],
  );
  const labels = new Set(pinned.map(({ label }) => label));
  return [...pinned, ...shown.filter(({ label }) => !labels.has(label))];
}

/** Pinned data of a variable may be its value alone. */
function pinnedOutput({ type, data }: CompiledNode, pinned: unknown): unknown {
  if (type !== 'variable' || !isJsonObject(pinned)) return pinned;
  return { name: data['variableName'] ?? null, ...pinned };
}

function isKnown(results: readonly PreviewNodeResult[], node: CompiledNode, needsRound: boolean): boolean {
  return results.some(
    ({ label, output }) =>
      label === node.label && (!needsRound || (isJsonObject(output) && output['branch'] === 'loop')),
  );
}

/** The end of a loop is not what its body sees. */
function dropEnd(results: PreviewNodeResult[], node: CompiledNode): void {
  const at = results.findIndex(({ label }) => label === node.label);
  if (at >= 0) results.splice(at, 1);
}

function chosenRound({ selected_loop_iteration_index }: Shown, opened: number): number {
  return opened === 0 ? (selected_loop_iteration_index ?? 0) : 0;
}

function pickRound(value: unknown, wanted: number): unknown {
  if (value === undefined) return undefined;
  const items = Array.isArray(value) ? value : value === null ? [] : [value];
  const total = items.length;
  const index = Math.max(0, Math.min(wanted, total - 1));
  const isLast = index >= total - 1;
  return { item: items[index] ?? null, index, total, isFirst: index === 0, isLast, branch: 'loop' };
}

interface Reading {
  readonly results: readonly PreviewNodeResult[];
  readonly input: { body: unknown } | undefined;
  readonly read: (text: unknown, mode: 'value') => unknown;
}

function computeOutput(
  graph: CompiledWorkflow,
  node: CompiledNode,
  { results, input, read }: Reading,
): unknown {
  if (node.type === 'textInput') return input;
  const { mappings } = node.data;
  if (!COMPUTED_TYPES.has(node.type) || !Array.isArray(mappings)) return undefined;
  const known = new Set(results.map(({ label }) => label));
  if (inputLabels(graph, node).some((label) => !known.has(label))) return undefined;
  const rows = mappings.flatMap((row): [string, unknown][] => {
    if (!isJsonObject(row) || typeof row['key'] !== 'string' || row['key'] === '') return [];
    return [[row['key'], read(row['value'] ?? '', 'value')]];
  });
  return rows.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(rows);
}

/** Labels of the nodes that lead into the node, in the order of the edges. */
export function inputLabels(graph: CompiledWorkflow, node: CompiledNode): string[] {
  return (graph.incoming[node.index] ?? []).flatMap((index) => {
    const edge = graph.edges[index];
    const source = edge && edge.kind !== 'back' ? graph.nodes[edge.source] : undefined;
    return source ? [source.label] : [];
  });
}

interface Place {
  readonly graph: CompiledWorkflow;
  readonly node: CompiledNode;
  readonly results: readonly PreviewNodeResult[];
  readonly surroundings: Surroundings;
  readonly input: { body: unknown } | undefined;
}

/** Undefined when the text has no value there, or fails. */
function evaluateIn(text: unknown, mode: 'raw' | 'value', place: Place): unknown {
  if (typeof text !== 'string') return text;
  const { graph, node, results, surroundings, input } = place;
  const { scope } = previewScope({
    ...surroundings,
    node_results: results,
    input_labels: inputLabels(graph, node),
    input_body: input?.body,
  });
  const { result, error } = preview({ expression: text, mode, scope });
  return error === null ? result : undefined;
}
