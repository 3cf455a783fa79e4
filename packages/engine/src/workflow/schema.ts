import { z } from 'zod';
import type { JsonObject } from '../json.ts';

/** Upper bounds of a stored document; a larger one is refused with `invalid_input`. */
export const DOCUMENT_LIMITS = { nodes: 10_000, edges: 40_000, idLength: 255 } as const;

const id = z.string().min(1).max(DOCUMENT_LIMITS.idLength);

/**
 * A node of a stored document. `data` holds the common keys (label, active, retry...) and the node's own
 * parameters side by side, as exports of the field do; keys that no definition knows are kept untouched.
 */
export const workflowNode = z.object({
  id,
  type: z.string().min(1).max(100),
  position: z.object({ x: z.number(), y: z.number() }).default({ x: 0, y: 0 }),
  data: z.record(z.string(), z.unknown()).default({}),
});

/** An edge; an absent, null, empty, `output` or `input` handle is the default handle. */
export const workflowEdge = z.object({
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

export type WorkflowNode = Omit<z.infer<typeof workflowNode>, 'data'> & { data: JsonObject };
export type WorkflowEdge = z.infer<typeof workflowEdge>;
export interface WorkflowDocument {
  nodes: WorkflowNode[];
  edges: WorkflowEdge[];
}
