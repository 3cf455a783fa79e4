import type { GraphIssue } from '../../compiled.ts';
import type { WorkflowEdge } from '../../schema.ts';
import type { NodeDraft } from '../node.ts';
import type { DraftEdge } from './cycles.ts';
import { isAgentEdge, matchPort } from './handles.ts';

export interface EdgeSource {
  readonly edges: readonly WorkflowEdge[];
  readonly nodes: readonly NodeDraft[];
  readonly indexOf: ReadonlyMap<string, number>;
}

/** Edges that can schedule something, and what is wrong with the others. */
export function draftEdges({ edges, nodes, indexOf }: EdgeSource, issues: GraphIssue[]): DraftEdge[] {
  const drafts: DraftEdge[] = [];
  const seen = new Set<string>();
  for (const edge of edges) {
    if (seen.has(edge.id)) issues.push({ code: 'duplicate_edge_id', nodes: [], edge_id: edge.id });
    seen.add(edge.id);
    const source = indexOf.get(edge.source);
    const target = indexOf.get(edge.target);
    if (source === undefined || target === undefined) {
      const nodesKnown = [source, target].filter((index) => index !== undefined);
      const detail = source === undefined ? edge.source : edge.target;
      issues.push({ code: 'unknown_edge_end', nodes: nodesKnown, edge_id: edge.id, detail });
      continue;
    }
    const draft = draftEdge(edge, { source, target, nodes, issues });
    if (draft) drafts.push(draft);
  }
  return drafts;
}

interface Ends {
  source: number;
  target: number;
  nodes: readonly NodeDraft[];
  issues: GraphIssue[];
}

function draftEdge(edge: WorkflowEdge, { source, target, nodes, issues }: Ends): DraftEdge | null {
  const from = nodes[source];
  const to = nodes[target];
  if (from === undefined || to === undefined || isAgentEdge(edge)) return null;
  if (from.definition.traits.schedule === 'never' || to.definition.traits.schedule === 'never') return null;
  if (to.definition.traits.schedule === 'error_flow') {
    issues.push({ code: 'edge_into_error_handler', nodes: [target], edge_id: edge.id });
    return null;
  }
  const match = matchPort(edge.sourceHandle, from.ports);
  if (match.issue !== undefined) {
    const isOutput = from.definition.traits.terminal === 'output' && !from.answers_early;
    const code = isOutput ? 'behind_output' : match.issue;
    const detail = edge.sourceHandle ?? '';
    issues.push({ code, nodes: [source, target], edge_id: edge.id, detail });
  }
  const toLoopHandle = to.definition.traits.loop && edge.targetHandle === 'loop';
  return { id: edge.id, source, target, port: match.port, toLoopHandle };
}
