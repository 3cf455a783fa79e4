import { z } from 'zod';

/** Upper bounds of a graph; a larger one is refused. */
export const GRAPH_LIMITS = { nodes: 10_000, edges: 40_000, id_length: 255, depth: 64 } as const;

const graphId = z.string().min(1, 'must not be empty').max(GRAPH_LIMITS.id_length);

/** Ids of old exports and of other clients may be numbers; they are kept as text. */
const graphIdInput = z.union([graphId, z.number().transform(String)], {
  error: 'must be a text or a number',
});

/** `data` holds the common keys (label, active, retry...) and the node's own parameters side by side; other keys are kept. */
export const graphNode = z
  .looseObject({
    id: graphId,
    type: z.string().min(1, 'must not be empty').max(100),
    position: z.object({ x: z.number(), y: z.number() }).default({ x: 0, y: 0 }),
    data: z.record(z.string(), z.unknown()).default({}),
  })
  .meta({ id: 'GraphNode' });
export type GraphNode = z.infer<typeof graphNode>;

/** A node in a request. */
export const graphNodeInput = graphNode.extend({ id: graphIdInput }).meta({ id: 'GraphNodeInput' });

const handles = {
  sourceHandle: z.string().max(100).nullish(),
  targetHandle: z.string().max(100).nullish(),
};

/** An absent handle is the default handle. Other keys are kept. */
export const graphEdge = z
  .looseObject({ id: graphId, source: graphId, target: graphId, ...handles })
  .meta({ id: 'GraphEdge' });
export type GraphEdge = z.infer<typeof graphEdge>;

/** An edge in a request: a missing id is generated, and null and empty handles mean the default handle. */
export const graphEdgeInput = z
  .looseObject({
    id: z.union([z.string().max(GRAPH_LIMITS.id_length), z.number().transform(String)]).nullish(),
    source: graphIdInput,
    target: graphIdInput,
    ...handles,
  })
  .meta({ id: 'GraphEdgeInput' });
export type GraphEdgeInput = z.infer<typeof graphEdgeInput>;

export const graphNodes = z.array(graphNodeInput).max(GRAPH_LIMITS.nodes);
export const graphEdges = z.array(graphEdgeInput).max(GRAPH_LIMITS.edges);
