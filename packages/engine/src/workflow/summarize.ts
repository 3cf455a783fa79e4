import type { Json } from '../json.ts';
import { type Catalog, isTrigger, type NodeTraits } from '../node-type/define-node.ts';
import { agentOnlyIds } from './compile/agent-tools.ts';
import { isAgentEdge } from './compile/edges/handles.ts';
import { readInputFields } from './input-fields.ts';
import type { WorkflowDocument, WorkflowNode } from './schema.ts';

interface SummaryField {
  key: string;
  defaultValue?: Json;
}

/** Facts that lists and forms show of a workflow without running it. */
export interface WorkflowSummary {
  /** Type of the first active start node, else of the first active node, else null. */
  first_node_type: string | null;
  /** Inputs declared by the active HTTP triggers. */
  input_fields: SummaryField[];
  output_node: { label: string; node_type: string; output_expression: Json } | null;
  /** Start nodes that are triggers, notes and error handlers excluded. */
  triggers: { node_id: string; node_type: string; active: boolean }[];
  /** False when some start node would still run, so that a scheduled deletion has to wait. */
  all_starts_inactive: boolean;
  /** The only end point is an HTML page. */
  is_web_page: boolean;
}

interface Known {
  node: WorkflowNode;
  traits: NodeTraits | undefined;
  is_trigger: boolean;
  active: boolean;
}

export function summarize(document: WorkflowDocument, catalog: Catalog): WorkflowSummary {
  const nodes = document.nodes.map((node): Known => {
    const active = node.data['active'] !== false;
    const definition = catalog.get(node.type);
    const is_trigger = definition !== undefined && isTrigger(definition, node.data);
    return { node, traits: definition?.traits, is_trigger, active };
  });
  const onlyCalled = agentOnlyIds(document);
  const flowing = nodes.filter(
    ({ node, traits }) => (traits === undefined || traits.schedule === 'normal') && !onlyCalled.has(node.id),
  );
  const edges = document.edges.filter((edge) => !isAgentEdge(edge));
  const entered = new Set(edges.map(({ target }) => target));
  const left = new Set(edges.map(({ source }) => source));
  const starts = flowing.filter(({ node }) => !entered.has(node.id));
  const ends = flowing.filter(({ node, active }) => active && !left.has(node.id));
  const first = starts.find(({ active }) => active) ?? flowing.find(({ active }) => active);
  const output =
    ends.find(({ traits }) => traits?.terminal === 'output') ??
    ends.find(({ traits }) => traits?.terminal === 'json') ??
    ends[0];
  return {
    first_node_type: first?.node.type ?? null,
    input_fields: starts.filter(({ active }) => active).flatMap(({ node }) => inputFields(node, catalog)),
    output_node: output ? describeOutput(output.node) : null,
    triggers: starts
      .filter(({ is_trigger }) => is_trigger)
      .map(({ node, active }) => ({ node_id: node.id, node_type: node.type, active })),
    all_starts_inactive: starts.length > 0 && starts.every(({ active }) => !active),
    is_web_page: ends.length === 1 && ends[0]?.traits?.terminal === 'html',
  };
}

/** Start types that describe their inputs have an `inputFields` parameter; without a stored one it is a single text. */
function inputFields({ type, data }: WorkflowNode, catalog: Catalog): SummaryField[] {
  const definition = catalog.get(type);
  if (!definition || !Object.hasOwn(definition.params.shape, 'inputFields')) return [];
  const stored = data['inputFields'];
  if (!Array.isArray(stored)) return [{ key: 'text' }];
  return readInputFields(stored).map(({ key, default_value }) =>
    default_value === undefined ? { key } : { key, defaultValue: default_value },
  );
}

function describeOutput({ id, type, data }: WorkflowNode): NonNullable<WorkflowSummary['output_node']> {
  const { label, message, mappings, html } = data;
  return {
    label: typeof label === 'string' ? label : id,
    node_type: type,
    output_expression: message ?? mappings ?? html ?? null,
  };
}
