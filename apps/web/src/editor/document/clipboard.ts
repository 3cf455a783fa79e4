import {
  type Catalog,
  fieldMeta,
  type NodeDefinition,
  readImport,
  type WorkflowDocument,
} from '@millrace/engine';
import type { z } from 'zod';

/** The chosen nodes and the edges between them, as text for the system clipboard. */
export function copy(document: WorkflowDocument, chosen: ReadonlySet<string>): string {
  const nodes = document.nodes.filter((node) => chosen.has(node.id));
  const edges = document.edges.filter((edge) => chosen.has(edge.source) && chosen.has(edge.target));
  return JSON.stringify({ millrace: true, nodes, edges });
}

/** Clipboard text as JSON; undefined when it is none. */
export function parseClip(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads nodes that were copied here, or in a tool with the same format; undefined when there are none. */
export function readClip(json: unknown): WorkflowDocument | undefined {
  try {
    const { document } = readImport(json);
    return document.nodes.length > 0 ? document : undefined;
  } catch {
    return undefined;
  }
}

/** A copied curl command as the node that sends it: the first type with a parameter that holds one. */
export function readCurl(catalog: Catalog, text: string): NodeDefinition | undefined {
  const command = text.trim();
  if (!/^curl(\.exe)?\s/i.test(command)) return undefined;
  for (const definition of catalog.all) {
    const shape: Record<string, z.ZodType> = definition.params.shape;
    const name = Object.keys(shape).find((key) => shape[key] && fieldMeta(shape[key])?.kind === 'curl');
    if (name) return { ...definition, initial: { ...definition.initial, [name]: command } };
  }
  return undefined;
}
