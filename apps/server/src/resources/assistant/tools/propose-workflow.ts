import {
  GRAPH_LIMITS,
  type GraphEdgeInput,
  type GraphNode,
  graphEdge,
  type WorkflowProblem,
} from '@millrace/contracts';
import { fieldMeta, type Json, type JsonObject } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { z } from 'zod';
import { AppError } from '../../../core/app-error.ts';
import { withNewAddresses } from '../../workflows/graph/addresses.ts';
import { diffGraphs } from '../../workflows/graph/diff.ts';
import { graphProblems } from '../../workflows/graph/graph-facts.ts';
import { withoutForeign } from '../../workflows/import-export/transfer.ts';
import type { Graph } from '../../workflows/record.ts';
import { cleanGraph } from '../../workflows/save.ts';
import { defineTool, type Tool } from './tool.ts';
import { restoreSecrets } from './without-secrets.ts';

export interface CurrentWorkflow {
  readonly name: string;
  readonly nodes: GraphNode[];
  readonly edges: GraphEdgeInput[];
}

/** Parameters that the user chooses afterwards, because they name things of theirs. */
const CHOSEN_BY_USER: ReadonlySet<string> = new Set([
  'credential',
  'resource',
  'vector_store',
  'data_table',
  'workflow',
  'workflows',
  'mcp_connection',
  'mcp_connections',
]);

const proposedNode = z.object({
  id: z.string().min(1).max(GRAPH_LIMITS.id_length),
  type: z.string().min(1).max(100),
  position: z.object({ x: z.number(), y: z.number() }).optional(),
  data: z.record(z.string(), z.unknown()).default({}),
});
type ProposedNode = z.output<typeof proposedNode>;

const input = z.object({
  name: z.string().trim().min(1).max(255),
  nodes: z.array(proposedNode).min(1).max(500),
  edges: z
    .array(
      graphEdge
        .pick({ source: true, target: true, sourceHandle: true, targetHandle: true })
        .extend({ id: z.string().max(GRAPH_LIMITS.id_length).nullish() }),
    )
    .max(2_000),
});

const COLUMN = 292;
const ROW = 104;

/** Places for nodes that have none: behind the nodes that lead to them. */
function placed(nodes: readonly ProposedNode[], edges: readonly GraphEdgeInput[]): GraphNode[] {
  const depths = new Map<string, number>();
  for (let round = 0; round < nodes.length; round++) {
    let hasChanged = false;
    for (const { source, target } of edges) {
      const depth = (depths.get(source) ?? 0) + 1;
      if (depth > (depths.get(target) ?? 0) && depth < nodes.length) {
        depths.set(target, depth);
        hasChanged = true;
      }
    }
    if (!hasChanged) break;
  }
  const rows = new Map<number, number>();
  return nodes.map((node) => {
    const column = depths.get(node.id) ?? 0;
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    return { ...node, position: node.position ?? { x: column * COLUMN, y: row * ROW } };
  });
}

/** Nodes with the values that were kept from the model, and the place where the user has put them. */
function withOriginals(nodes: readonly ProposedNode[], current: CurrentWorkflow | undefined): ProposedNode[] {
  const before = new Map(current?.nodes.map((node) => [node.id, node]));
  return nodes.map((node) => {
    const original = before.get(node.id);
    const data = restoreSecrets(node.data as Json, original?.data as Json | undefined) as JsonObject;
    const position = original?.position ?? node.position;
    return { ...node, data, ...(position ? { position } : {}) };
  });
}

const toEdgeKey = ({ source, target, sourceHandle, targetHandle }: GraphEdgeInput): string =>
  JSON.stringify([source, target, sourceHandle ?? '', targetHandle ?? '']);

/** Edges that were there keep their ids, so that the difference shows only what changed. */
function withOriginalIds(edges: readonly GraphEdgeInput[], current: CurrentWorkflow | undefined) {
  const before = new Map(current?.edges.map((edge) => [toEdgeKey(edge), edge]));
  return edges.map((edge) => before.get(toEdgeKey(edge)) ?? edge);
}

function requireKnownTypes(nodes: readonly ProposedNode[]): void {
  const unknown = nodes.filter(({ type }) => !catalog.get(type)).map(({ type }) => type);
  if (unknown.length === 0) return;
  throw new AppError(
    'bad_request',
    `There is no node type ${[...new Set(unknown)].map((type) => `"${type}"`).join(', ')}; see list_node_types`,
  );
}

function isForUser({ nodes }: Graph, { code, node_id, field }: WorkflowProblem): boolean {
  if (code !== 'missing_param' || field === null) return false;
  const type = nodes.find(({ id }) => id === node_id)?.type ?? '';
  const schema = catalog.get(type)?.params.shape[field] as z.ZodType | undefined;
  return CHOSEN_BY_USER.has((schema && fieldMeta(schema)?.kind) ?? '');
}

/**
 * Checks a graph that the model wrote with the engine, and shows it only when a run could go through it.
 *
 * @param onShown called with the nodes of a proposal that the person sees
 */
export function proposeTool(
  current: CurrentWorkflow | undefined,
  onShown: (nodes: readonly GraphNode[]) => void,
): Tool {
  return defineTool({
    name: 'propose_workflow',
    label: 'Checks the proposed workflow',
    description:
      'Shows the user a workflow: the whole graph, with what stays as it is. Answers with the problems to repair when it is not valid.',
    input,
    async use(world, { name, nodes, edges }) {
      requireKnownTypes(nodes);
      const originals = withOriginals(nodes, current);
      const connected = withOriginalIds(edges, current);
      const drawn = cleanGraph({ nodes: placed(originals, edges), edges: connected });
      const before = current ? cleanGraph(current) : { nodes: [], edges: [] };
      // Ids that the model invented, or that only others can see.
      const { graph: usable } = await withoutForeign(world.ctx, drawn, before);
      const { graph } = withNewAddresses(usable, new Set(before.nodes.map(({ id }) => id)));
      const problems = graphProblems(graph);
      const open = problems.filter((problem) => problem.severity === 'error' && !isForUser(graph, problem));
      if (open.length > 0) {
        return {
          shown: false,
          problems: open.map(({ node_id, field, message }) => ({ node_id, field, message })),
        };
      }
      world.emit({
        type: 'workflow_proposal',
        workflow: { name, ...graph, problems },
        changes: diffGraphs(before, graph),
      });
      onShown(graph.nodes);
      return { shown: true, left_to_the_user: problems.map(({ message }) => message) };
    },
  });
}
