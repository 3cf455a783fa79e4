import { z } from 'zod';

/** Codes of refused requests; each has one HTTP status. */
export const ERROR_STATUS = {
  bad_request: 400,
  invalid_input: 422,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  rate_limited: 429,
  unavailable: 503,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/**
 * One wrong field of a 422 answer. `loc` leads to it: `["body", "name"]`. Where there are more than a hundred, the last entry has
 * the type `more` and says how many were left out.
 */
export const fieldProblem = z
  .object({
    loc: z.array(z.union([z.string(), z.number()])),
    msg: z.string(),
    type: z.string(),
  })
  .meta({ id: 'FieldProblem' });
export type FieldProblem = z.infer<typeof fieldProblem>;

/**
 * Body of every refusal. `detail` is a sentence, for 422 the list of the first hundred wrong fields, for some 409 the current
 * state. `field` is the field of the body that names what a 404 did not find, where the address names something else; `tries_left`
 * is how often one may still try to log in to a portal.
 */
export const errorBody = z
  .object({
    detail: z.union([z.string(), z.array(fieldProblem), z.record(z.string(), z.unknown())]),
    code: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
    field: z.string().optional(),
    tries_left: z.int().min(1).optional(),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof errorBody>;
