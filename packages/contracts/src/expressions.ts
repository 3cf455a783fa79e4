import { z } from 'zod';
import { uuid } from './common.ts';
import { endpoint, GRAPH_BODY_BYTES } from './endpoint.ts';

const tag = 'Expressions';

/** The result that a node showed in the run that the editor has on screen. */
const shownResult = z.object({
  node_id: z.string().min(1).max(255),
  label: z.string().max(255),
  output: z.unknown(),
});

export const evaluateExpression = endpoint({
  id: 'evaluateExpression',
  method: 'POST',
  path: '/api/expressions/evaluate',
  tag,
  summary:
    'Preview an expression as the given node would read it; a wrong expression is answered, not refused',
  auth: 'session',
  body_limit: GRAPH_BODY_BYTES,
  body: z.object({
    expression: z.string().max(10_000, 'must have at most 10000 characters'),
    workflow_id: uuid,
    current_node_id: z.string().max(255),
    field_name: z.string().max(255).nullish(),
    input_body: z.unknown().optional(),
    /** Which round of the surrounding loop to show; 0 is the first. */
    selected_loop_iteration_index: z.number().int().min(0).nullish(),
    node_results: z.array(shownResult).max(10_000).default([]),
  }),
  response: z.object({
    result: z.unknown(),
    result_type: z.string().nullable(),
    /** Whether the field keeps the type of the value instead of turning it into text. */
    preserved_type: z.boolean(),
    error: z.string().nullable(),
    /** Rounds of the surrounding loop, when there is one. */
    selected_loop_total: z.number().int().nullable(),
  }),
  errors: ['not_found'],
});

export const listReservedNames = endpoint({
  id: 'listReservedVariableNames',
  method: 'GET',
  path: '/api/config/reserved-variable-names',
  tag,
  summary: 'Names that a node label or variable should not have',
  auth: 'none',
  response: z.array(z.string()),
});

export const readTimeZone = endpoint({
  id: 'readTimeZone',
  method: 'GET',
  path: '/api/config/time-zone',
  tag,
  summary: 'The IANA time zone used by schedules and expressions',
  auth: 'none',
  response: z.object({ time_zone: z.string() }),
});

export const expressionEndpoints = [evaluateExpression, listReservedNames, readTimeZone];
