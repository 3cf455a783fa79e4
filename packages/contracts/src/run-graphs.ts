import { z } from 'zod';
import { uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { graphEdge, graphNode } from './graph.ts';

/** The graph that a run was of, as it was then. */
export const runGraph = z
  .object({
    version_id: uuid,
    version_number: z.int().nullable().describe('Null for a draft.'),
    is_draft: z.boolean(),
    nodes: z.array(graphNode),
    edges: z.array(graphEdge),
  })
  .meta({ id: 'RunGraph' });
export type RunGraph = z.infer<typeof runGraph>;

// Apart from the other contracts of runs, so that a page that starts runs does not load the schemas of graphs.
export const getRunGraph = endpoint({
  id: 'getRunGraph',
  method: 'GET',
  path: '/api/workflows/history/all/{entry_id}/graph',
  tag: 'Executions',
  summary: 'The nodes and edges of the version or draft that a run was of; 404 once that version was deleted',
  auth: 'session',
  params: z.object({ entry_id: uuid }),
  response: runGraph,
  errors: ['not_found'],
});

export const runGraphEndpoints = [getRunGraph];
