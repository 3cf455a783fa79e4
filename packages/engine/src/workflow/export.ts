import type { JsonObject } from '../json.ts';
import { cleanData } from './importing/import-data.ts';
import type { WorkflowDocument } from './schema.ts';

export interface ExportedWorkflow {
  name?: string;
  nodes: JsonObject[];
  edges: JsonObject[];
}

/** The shape that workflow editors read: nodes and edges, and the name where several workflows share a file. */
export function exportDocument(document: WorkflowDocument, name?: string): ExportedWorkflow {
  const nodes = document.nodes.map(({ id, type, position, data, ...rest }): JsonObject => {
    const { x, y } = position;
    return { ...withoutReserved(rest), id, type, position: { x, y }, data: cleanData(data, () => {}) };
  });
  const edges = document.edges.map(
    ({ id, source, target, sourceHandle, targetHandle, ...rest }): JsonObject => {
      const edge: JsonObject = { ...withoutReserved(rest), id, source, target };
      if (sourceHandle) edge['sourceHandle'] = sourceHandle;
      if (targetHandle) edge['targetHandle'] = targetHandle;
      return edge;
    },
  );
  return name === undefined ? { nodes, edges } : { name, nodes, edges };
}

/** Keys beside those that are read here. Guarantee: documents are stored as JSON. */
function withoutReserved(rest: object): JsonObject {
  return cleanData(rest as JsonObject, () => {});
}

/** File name of an export: the workflow's name in lower case with dashes, safe on every file system. */
export function exportFileName(name: string): string {
  const stem = name
    .toLowerCase()
    .replace(/\s+/g, '-')
    .replace(/[^\p{L}\p{N}._-]/gu, '')
    .replace(/^[.-]+/, '')
    .slice(0, 100);
  return `${stem === '' ? 'workflow' : stem}.json`;
}
