import type { WorkflowNode } from '@millrace/engine';
import { useMemo } from 'react';
import { useDocument, useRun } from '../../features/document/context.ts';
import { findParents } from '../../features/document/flow-order.ts';
import { listUpstream } from '../../features/known-values/known-values.ts';
import { useKnown } from '../../features/known-values/use-known.ts';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { useEditor } from '../state/context.tsx';

/** A node before the one that is open, with what expressions would read of it. */
export interface Source {
  readonly node: WorkflowNode;
  readonly label: string;
  readonly isParent: boolean;
  /** Where the value comes from; a silent node has none. */
  readonly origin: 'pinned' | 'run' | 'sample' | 'silent';
  readonly value: unknown;
}

export interface Sources {
  /** Parents first, then the nodes before them. */
  readonly nodes: readonly Source[];
  /** The values that expressions read besides nodes, without what is empty. */
  readonly variables: Readonly<Record<string, unknown>>;
}

const VARIABLES = ['vars', 'global', 'credentials', 'workflowName'] as const;

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

/** The data that may be read in a node: that of the shown run, pinned data in its place. */
export function useSources(node_id: string): Sources {
  const { catalog } = useEditor();
  const document = useDocument((state) => state.document);
  const ran = useRun((state) => state.nodes);
  const { values, silent } = useKnown(node_id);
  return useMemo(() => {
    const parents = findParents(document, node_id);
    const before = new Set([...parents, ...listUpstream(document, node_id)]);
    const byId = new Map(document.nodes.map((node) => [node.id, node]));
    const nodes = [...before].flatMap((id): Source[] => {
      const node = byId.get(id);
      if (!node || catalog.get(node.type)?.traits.schedule === 'never') return [];
      const label = getNodeLabel(node);
      const isPinned = (node.data['pinnedData'] ?? null) !== null;
      const hasRun = (ran.get(id)?.records.length ?? 0) > 0;
      const origin = isPinned ? 'pinned' : silent.has(label) ? 'silent' : hasRun ? 'run' : 'sample';
      return [{ node, label, isParent: parents.includes(id), origin, value: values[label] }];
    });
    const variables = VARIABLES.filter((name) => isFilled(values[name])).map((name) => [name, values[name]]);
    return { nodes, variables: Object.fromEntries(variables) };
  }, [catalog, document, ran, values, silent, node_id]);
}
