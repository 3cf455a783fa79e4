import type { ImportWarning } from '@millrace/contracts';
import { type CompiledNode, compileWorkflow, isJsonObject, type WorkflowDocument } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { isUuid } from '../../../core/ids.ts';
import { collectReferences, describeMissing, type Known, relinked } from '../../folders/references.ts';
import type { Graph } from '../record.ts';

/** Ids that a graph names. */
export interface NamedIds {
  readonly credentials: readonly string[];
  readonly workflows: readonly string[];
}

/** Keys that mean nothing without the id beside them. */
const DEPENDENT: Readonly<Record<string, readonly string[]>> = {
  credentialId: ['model'],
  fallbackCredentialId: ['fallbackModel'],
  guardrailCredentialId: ['guardrailModel'],
  executeWorkflowId: ['targetWorkflowName', 'targetWorkflowInputFields'],
};

const compiledNodes = (graph: Graph): readonly CompiledNode[] =>
  compileWorkflow(graph as WorkflowDocument, catalog).nodes;

const listLinks = ({ params }: CompiledNode) => [...params.credentials, ...params.workflows];

/** Credentials and workflows that the graph refers to by id. */
export function namedIds(graph: Graph): NamedIds {
  const nodes = compiledNodes(graph);
  const byName = graph.nodes.flatMap((node) => collectReferences(node.data));
  const ids = (kind: 'credential' | 'workflow') => {
    const defined = nodes.flatMap(({ params }) => params[`${kind}s`].map((link) => link.value));
    const named = byName.filter((reference) => reference.kind === kind).map((reference) => reference.id);
    return [...new Set([...defined, ...named].filter(isUuid))];
  };
  return { credentials: ids('credential'), workflows: ids('workflow') };
}

/** Which node calls which workflow. */
export function workflowLinks(graph: Graph): { node_id: string; target_id: string }[] {
  return compiledNodes(graph).flatMap((node) =>
    node.params.workflows
      .filter((link) => isUuid(link.value))
      .map((link) => ({ node_id: node.id, target_id: link.value.toLowerCase() })),
  );
}

function findHolder(
  data: Record<string, unknown>,
  path: readonly string[],
): Record<string, unknown> | undefined {
  let holder: unknown = data;
  for (const key of path) {
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key)) return undefined;
    holder = (holder as Record<string, unknown>)[key];
  }
  return isJsonObject(holder) ? holder : undefined;
}

function clear(data: Record<string, unknown>, field: string): void {
  const path = field.split('.');
  const key = path.pop() ?? '';
  const holder = findHolder(data, path);
  if (!holder) return;
  for (const name of [key, ...(DEPENDENT[key] ?? [])]) if (Object.hasOwn(holder, name)) holder[name] = '';
}

/** An id of another form is one of another product. */
const isForeign = (id: string, usable: ReadonlySet<string>): boolean =>
  isUuid(id) ? !usable.has(id.toLowerCase()) : id !== '' && !id.includes('$');

/**
 * The same by the names that such fields have in the field's exports: nodes of types that are not known here have no
 * definition that tells.
 */
function clearByName(
  data: Record<string, unknown>,
  usable: ReadonlySet<string>,
): { data: Record<string, unknown>; fields: string[] } {
  const references = collectReferences(data);
  const fields = references.filter(({ id }) => isForeign(id, usable)).map(({ field }) => field);
  if (fields.length === 0) return { data, fields };
  const kept = references.filter(({ id }) => !isForeign(id, usable));
  const known: Known = {
    credentials: new Set(kept.filter(({ kind }) => kind === 'credential').map(({ id }) => id)),
    workflows: new Map(kept.filter(({ kind }) => kind === 'workflow').map(({ id }) => [id, id])),
    names: new Map(),
  };
  return { data: relinked(data, known), fields };
}

/**
 * Clears what an imported graph refers to and its new owner cannot see: a foreign credential or workflow would only
 * fail later. Computed ids (expressions) stay.
 */
export function clearForeign(
  graph: Graph,
  usable: ReadonlySet<string>,
): { graph: Graph; warnings: ImportWarning[] } {
  const cleared = structuredClone(graph);
  const warnings: ImportWarning[] = [];
  for (const [index, node] of compiledNodes(graph).entries()) {
    const stored = cleared.nodes[index];
    if (!stored) continue;
    const defined = listLinks(node)
      .filter(({ value }) => isForeign(value, usable))
      .map(({ field }) => field);
    for (const field of defined) clear(stored.data, field);
    const { data, fields } = clearByName(stored.data, usable);
    stored.data = data;
    for (const field of [...defined, ...fields]) {
      const kind = /workflow/i.test(field) ? 'workflow' : 'credential';
      warnings.push({ field: `nodes.${index}.data.${field}`, message: describeMissing(kind, node.label) });
    }
  }
  return { graph: cleared, warnings };
}
