import type { GraphNode, ImportWarning } from '@millrace/contracts';
import type { StoredImportReport } from '../../../database/schema/index.ts';

/** The node that a line is about: `nodes.3.type` is about the fourth one. */
function findNodeId({ field }: ImportWarning, nodes: readonly GraphNode[]): string | null {
  const [, index] = /^nodes\.(\d+)(?:\.|$)/.exec(field) ?? [];
  return index === undefined ? null : (nodes[Number(index)]?.id ?? null);
}

/**
 * The report that is kept of an import. Places of nodes change with the first edit, so that each line gets the id of
 * its node.
 *
 * @returns null when the import has changed nothing
 */
export function makeImportReport(
  lines: readonly ImportWarning[],
  { nodes, at }: { nodes: readonly GraphNode[]; at: Date },
): StoredImportReport | null {
  if (lines.length === 0) return null;
  return {
    imported_at: at.toISOString(),
    lines: lines.map((line) => ({
      node_id: findNodeId(line, nodes),
      field: line.field,
      message: line.message,
    })),
  };
}
