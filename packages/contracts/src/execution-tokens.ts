import { z } from 'zod';
import { idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

/** §8.3 of the specification. */
export const EXECUTION_TOKEN_TTL = { min_seconds: 60, max_seconds: 315_360_000 } as const;

/** §2.4 of the specification. Expired and revoked tokens stay in the list. */
export const executionToken = z
  .object({
    id: uuid,
    token: z.string(),
    expires_at: timestamp,
    created_at: timestamp,
    revoked: z.boolean(),
  })
  .meta({ id: 'ExecutionToken' });
export type ExecutionToken = z.infer<typeof executionToken>;

const tag = 'Execution tokens';

export const createExecutionToken = endpoint({
  id: 'createExecutionToken',
  method: 'POST',
  path: '/api/workflows/{id}/execution-tokens',
  tag,
  summary: 'Create a token with which an external system may call this one workflow',
  auth: 'session',
  params: idParams,
  body: z.object({
    ttl_seconds: z
      .number()
      .int('must be a whole number of seconds')
      .min(EXECUTION_TOKEN_TTL.min_seconds, 'must be at least 60 seconds')
      .max(EXECUTION_TOKEN_TTL.max_seconds, 'must be at most 315360000 seconds (10 years)'),
  }),
  response: executionToken,
  errors: ['not_found'],
});

export const listExecutionTokens = endpoint({
  id: 'listExecutionTokens',
  method: 'GET',
  path: '/api/workflows/{id}/execution-tokens',
  tag,
  summary: "The caller's own tokens of this workflow, newest first",
  auth: 'session',
  params: idParams,
  response: z.array(executionToken),
  errors: ['not_found'],
});

export const revokeExecutionToken = endpoint({
  id: 'revokeExecutionToken',
  method: 'DELETE',
  path: '/api/workflows/{id}/execution-tokens/{token_id}',
  tag,
  summary: 'Revoke a token for good',
  auth: 'session',
  params: z.object({ id: uuid, token_id: uuid }),
  errors: ['not_found'],
});

export const executionTokenEndpoints = [createExecutionToken, listExecutionTokens, revokeExecutionToken];
