import { z } from 'zod';
import type { JsonObject } from '../json.ts';

/** Upper bounds of a stored document; a larger one is refused with `invalid_input`. */
export const DOCUMENT_LIMITS = { nodes: 10_000, edges: 40_000, idLength: 255 } as const;

const id = z.string().min(1).max(DOCUMENT_LIMITS.idLength);

/**
 * A node of a stored document. `data` holds the common keys (label, active, retry...) and the node's own
 * parameters side by side, as other products export them; keys unknown to the definition are kept unchanged.
 */
export const workflowNode = z.looseObject({
  id,
  type: z.string().min(1).max(100),
  position: z.object({ x: z.number(), y: z.number() }).default({ x: 0, y: 0 }),
  data: z.record(z.string(), z.unknown()).default({}),
});

/** An edge; an absent, null, empty, `output` or `input` handle is the default handle. */
export const workflowEdge = z.looseObject({
  id,
  source: id,
  target: id,
  sourceHandle: z.string().max(100).nullish(),
  targetHandle: z.string().max(100).nullish(),
});

export const workflowDocument = z.object({
  nodes: z.array(workflowNode).max(DOCUMENT_LIMITS.nodes),
  edges: z.array(workflowEdge).max(DOCUMENT_LIMITS.edges),
});

/** Other keys that a stored node or edge has are kept, but nothing reads them. */
export type WorkflowNode = Pick<z.infer<typeof workflowNode>, 'id' | 'type' | 'position'> & {
  data: JsonObject;
};
export type WorkflowEdge = Pick<
  z.infer<typeof workflowEdge>,
  'id' | 'source' | 'target' | 'sourceHandle' | 'targetHandle'
>;
export interface WorkflowDocument {
  nodes: WorkflowNode[];
  edges: WorkflowEdge[];
}
