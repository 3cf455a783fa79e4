import { z } from 'zod';
import { queryBoolean, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { storedText } from './text.ts';

/** Who did what to which object, or tried to. */
export const auditEntry = z
  .object({
    id: uuid,
    at: timestamp,
    actor_id: uuid.nullable(),
    /** Null for what the service did by itself. */
    actor_email: z.string().nullable(),
    action: z.string(),
    object_kind: z.string(),
    object_id: z.string().nullable(),
    object_name: z.string().nullable(),
    outcome: z.enum(['done', 'refused']),
    details: z.record(z.string(), z.unknown()).nullable(),
    /** Null for readers who are neither the actor nor an administrator. */
    client_ip: z.string().nullable(),
    request_id: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntry>;

export const listAudit = endpoint({
  id: 'listAudit',
  method: 'GET',
  path: '/api/audit',
  tag: 'Audit log',
  summary: 'Entries about own objects and own actions, newest first; administrators may read all of them',
  auth: 'session',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(500).default(50),
    /** Id of the last entry of the page before. */
    before: uuid.optional(),
    object_id: storedText(100).optional(),
    object_kind: storedText(50).optional(),
    action: storedText(100).optional(),
    outcome: z.enum(['done', 'refused']).optional(),
    all: queryBoolean.optional(),
  }),
  response: z.object({ items: z.array(auditEntry), next_before: uuid.nullable() }),
  errors: ['forbidden'],
});

export const auditEndpoints = [listAudit];
