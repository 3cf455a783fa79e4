import { z } from 'zod';
import { idParams, uuid } from './common.ts';
import { endpoint, GRAPH_BODY_BYTES } from './endpoint.ts';
import { storedText } from './text.ts';

/** Longest label of run history that a caller may give (§6.3), in characters. */
export const TRIGGER_SOURCE_MAX = 255;

/** Where a replay began. */
export const replayFrom = z
  .object({
    from: z.enum(['start', 'failed', 'node']),
    /** Null where it began at the start, or where the earlier run had stopped between two nodes. */
    node_id: z.string().nullable(),
    /** Round of the loops around the node; '' outside loops. */
    iteration: z.string(),
    /** Nothing but the node was run. */
    only: z.boolean(),
  })
  .meta({ id: 'ReplayFrom' });
export type ReplayFrom = z.infer<typeof replayFrom>;

/** Which earlier run this one is a replay of; both null for other runs. */
export const lineage = {
  replay_of: uuid.nullable(),
  replay_from: replayFrom.nullable(),
};

export const replayExecution = endpoint({
  id: 'replayExecution',
  method: 'POST',
  path: '/api/workflows/{id}/executions/{execution_id}/replay',
  tag: 'Executions',
  summary:
    'Run again what a run that has ended did, from its start, from where it failed, or from any of its nodes; results before that are reused and not computed again',
  auth: 'session',
  params: idParams.extend({ execution_id: uuid }),
  body: z.object({
    from: z
      .enum(['start', 'failed', 'node'])
      .default('start')
      .describe(
        '`start`: everything runs again. `failed`: what failed or was stopped runs, with what follows. `node`: the node in `node_id` runs, with what follows.',
      ),
    node_id: storedText(255).optional().describe('With `from: node`.'),
    iteration: z
      .string()
      .regex(/^(\d{1,6}(\.\d{1,6})*)?$/, 'must be rounds joined by dots, such as "3" or "2.5"')
      .optional()
      .describe(
        'Round of the loops around the node, counted from 0; by default the one that failed, else the last one that it ran in.',
      ),
    only: z.boolean().default(false).describe('With `from: node`: nothing but this node runs.'),
    earlier_runs: z
      .boolean()
      .default(false)
      .describe(
        'With `only`: if that run lacks the results that the node needs, those of the newest of the last 20 runs that has them are used.',
      ),
    input: z
      .json()
      .optional()
      .describe('Takes the place of the whole input, in the form in which history shows `inputs`.'),
    version: z
      .enum(['same', 'current', 'draft'])
      .default('same')
      .describe(
        'The version that the run was of, the published one of now, or the draft. A result is kept in another version when its node still has the same id and type.',
      ),
    test_run: z.boolean().optional().describe('Uses pinned data; by default as the earlier run.'),
    trigger_source: storedText(TRIGGER_SOURCE_MAX).trim().min(1).optional(),
  }),
  body_limit: GRAPH_BODY_BYTES,
  response: z.object({
    execution_id: uuid,
    replay_of: uuid,
    replay_from: replayFrom,
    /** Results that were taken over. */
    reused_results: z.int(),
  }),
  status: 202,
  errors: [
    'not_found',
    'conflict',
    'invalid_input',
    'forbidden',
    'bad_request',
    'rate_limited',
    'unavailable',
  ],
});
