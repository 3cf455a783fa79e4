import type { WorkflowNode } from '@millrace/engine';
import { getNodeLabel } from '../../../lib/graph/node-label.ts';
import { useAssistantTexts } from '../texts/use-assistant-texts.ts';
import type { ChangeGroup, NodeChange } from './change-groups.ts';

/** Guarantee: a node of a change is plain JSON; the engine names the same shape. */
const getNodeName = ({ node_id, new_node, old_node }: NodeChange): string => {
  const node = (new_node ?? old_node) as WorkflowNode | null;
  return node ? getNodeLabel(node) : node_id;
};

/** Describes a group of changes in one line. */
export function useGroupText(nodes: readonly WorkflowNode[]): (group: ChangeGroup) => string {
  const t = useAssistantTexts('parts');
  const nameAt = (id: string | undefined) => {
    const node = nodes.find((other) => other.id === id);
    return node ? getNodeLabel(node) : (id ?? '');
  };
  return (group) => {
    if (group.nodes.length === 0) {
      return group.edges
        .map(({ change_type, new_edge, old_edge }) => {
          const edge = new_edge ?? old_edge;
          return t(`edge_${change_type}`, { from: nameAt(edge?.source), to: nameAt(edge?.target) });
        })
        .join(' · ');
    }
    const parts = (['added', 'modified', 'removed'] as const).flatMap((type) => {
      const names = group.nodes.filter(({ change_type }) => change_type === type).map(getNodeName);
      return names.length === 0 ? [] : [t(type, { names: names.join(', ') })];
    });
    return [...parts, ...(group.edges.length > 0 ? [t('edges', { count: group.edges.length })] : [])].join(
      ' · ',
    );
  };
}
