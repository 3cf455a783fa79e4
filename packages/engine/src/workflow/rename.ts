import { z } from 'zod';
import { type ExpressionMode, renameReference } from '../expression/index.ts';
import { isBlockedKey, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Catalog, NodeDefinition } from '../node-type/define-node.ts';
import { type FieldKind, fieldMeta } from '../node-type/fields.ts';
import { isDefaultHandle, isToolEdge } from './compile/edges/handles.ts';
import { hasNamedParts, innerSchema, partSchema, storedSchema } from './compile/stored-value.ts';
import type { WorkflowDocument } from './schema.ts';

/** Literal texts of these kinds may hold references, which their nodes fill in while they run. */
const FILLED_BY_NODES: ReadonlySet<FieldKind> = new Set(['curl', 'html', 'code', 'json', 'multiline']);
const MAX_DEPTH = 64;

/** Changes one text; the mode says how the field reads it. Returns the same text to leave it unchanged. */
type Rewrite = (text: string, how: { mode: ExpressionMode; isLabel: boolean }) => string;

/**
 * The document with another label on one node, and with every reference to the old label updated. Other nodes
 * that have the old label keep it, and references follow the renamed node.
 */
export function renameLabel(
  document: WorkflowDocument,
  catalog: Catalog,
  change: { node_id: string; label: string },
): WorkflowDocument {
  const node = document.nodes.find(({ id }) => id === change.node_id);
  const from = node?.data['label'];
  if (!node || from === change.label) return document;
  if (isBlockedKey(change.label)) throw new RangeError(`The label "${change.label}" is reserved`);
  const rewrite: Rewrite = (text, { mode, isLabel }) => {
    if (typeof from !== 'string' || from === '') return text;
    if (isLabel) return text === from ? change.label : text;
    return text.includes(from) ? renameReference(text, mode, { from, to: change.label }) : text;
  };
  return {
    edges: document.edges,
    nodes: document.nodes.map((other) => {
      const data = rewriteData(catalog.get(other.type), other.data, rewrite);
      return other.id === node.id ? { ...other, data: { ...data, label: change.label } } : { ...other, data };
    }),
  };
}

/**
 * Replaces `$input` in the texts of one node by the label of its only source, so that they mean the same
 * when another node is inserted between the two. Returns the same document if nothing reads `$input`, several
 * nodes are connected, or the label cannot be written as a reference.
 */
export function nameInput(document: WorkflowDocument, catalog: Catalog, node_id: string): WorkflowDocument {
  const node = document.nodes.find(({ id }) => id === node_id);
  const label = labelBefore(document, node_id);
  if (!node || label === undefined) return document;
  const labels = new Set(document.nodes.map(({ data }) => data['label']));
  // `$input.<label>` already names that node.
  const only = ({ path: [key] }: { path: readonly string[] }) => key === undefined || !labels.has(key);
  let isChanged = false;
  const data = rewriteData(catalog.get(node.type), node.data, (text, { mode, isLabel }) => {
    if (isLabel || !text.includes('input')) return text;
    const named = renameReference(text, mode, { from: 'input', to: label, only });
    isChanged ||= named !== text;
    return named;
  });
  if (!isChanged) return document;
  return { ...document, nodes: document.nodes.map((other) => (other === node ? { ...node, data } : other)) };
}

/** Label of the only source of a node, not counting edges back into a loop. */
function labelBefore({ nodes, edges }: WorkflowDocument, node_id: string): string | undefined {
  const sources = new Set(
    edges
      .filter((edge) => edge.target === node_id && !isToolEdge(edge) && isDefaultHandle(edge.targetHandle))
      .map(({ source }) => source),
  );
  const [source] = sources;
  const label = sources.size === 1 ? nodes.find(({ id }) => id === source)?.data['label'] : undefined;
  return typeof label === 'string' ? label : undefined;
}

function rewriteData(definition: NodeDefinition | undefined, data: JsonObject, rewrite: Rewrite): JsonObject {
  const shape: Record<string, z.ZodType> = definition?.params.shape ?? {};
  return rewriteObject(data, (key, value) => {
    if (key === 'label' || key === 'pinnedData') return value;
    const schema = Object.hasOwn(shape, key) ? shape[key] : undefined;
    // It is unknown how a foreign node reads its texts; as templates, only whole references change.
    if (!definition) return rewriteUnknown(value, rewrite, 0);
    return schema ? rewriteValue(schema, value, rewrite, 0) : value;
  });
}

function rewriteValue(declared: z.ZodType, stored: Json, rewrite: Rewrite, depth: number): Json {
  const schema = storedSchema(declared, stored);
  const meta = fieldMeta(schema);
  if (typeof stored === 'string') {
    if (meta?.kind === 'node_label') return rewrite(stored, { mode: 'literal', isLabel: true });
    const mode = meta?.mode ?? 'literal';
    if (mode !== 'literal') return rewrite(stored, { mode, isLabel: false });
    const mayRefer = meta !== undefined && FILLED_BY_NODES.has(meta.kind);
    const isExpression = stored.startsWith('$') && (meta?.kind === 'number' || meta?.kind === 'boolean');
    return mayRefer || isExpression ? rewrite(stored, { mode: 'template', isLabel: false }) : stored;
  }
  if (depth >= MAX_DEPTH || typeof stored !== 'object' || stored === null) return stored;
  if (meta?.kind === 'mappings' && Array.isArray(stored)) {
    return stored.map((row) => rewriteRow(row, meta.mode, rewrite));
  }
  const inner = innerSchema(schema, true);
  if (inner instanceof z.ZodArray && Array.isArray(stored)) {
    return stored.map((item) => rewriteValue(inner.element as z.ZodType, item, rewrite, depth + 1));
  }
  if (!hasNamedParts(inner) || !isJsonObject(stored)) return stored;
  return rewriteObject(stored, (key, value) => {
    const part = partSchema(inner, key);
    return part ? rewriteValue(part, value, rewrite, depth + 1) : value;
  });
}

function rewriteRow(row: Json, mode: ExpressionMode, rewrite: Rewrite): Json {
  if (!isJsonObject(row) || typeof row['value'] !== 'string' || mode === 'literal') return row;
  return { ...row, value: rewrite(row['value'], { mode, isLabel: false }) };
}

function rewriteUnknown(value: Json, rewrite: Rewrite, depth: number): Json {
  if (typeof value === 'string') return rewrite(value, { mode: 'template', isLabel: false });
  if (depth >= MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => rewriteUnknown(item, rewrite, depth + 1));
  if (!isJsonObject(value)) return value;
  return rewriteObject(value, (_, part) => rewriteUnknown(part, rewrite, depth + 1));
}

function rewriteObject(object: JsonObject, change: (key: string, value: Json) => Json): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    if (!isBlockedKey(key)) result[key] = change(key, value);
  }
  return result;
}
