import type { JsonObject } from '../json.ts';
import { cleanData } from './import-data.ts';
import type { WorkflowDocument } from './schema.ts';

export interface ExportedWorkflow {
  name?: string;
  nodes: JsonObject[];
  edges: JsonObject[];
}

/** The shape that editors of the field read: nodes and edges, and the name where several workflows share a file. */
export function exportDocument(document: WorkflowDocument, name?: string): ExportedWorkflow {
  const nodes = document.nodes.map(({ id, type, position, data }): JsonObject => {
    return { id, type, position: { x: position.x, y: position.y }, data: cleanData(data, () => {}) };
  });
  const edges = document.edges.map(({ id, source, target, sourceHandle, targetHandle }): JsonObject => {
    const edge: JsonObject = { id, source, target };
    if (sourceHandle) edge['sourceHandle'] = sourceHandle;
    if (targetHandle) edge['targetHandle'] = targetHandle;
    return edge;
  });
  return name === undefined ? { nodes, edges } : { name, nodes, edges };
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
