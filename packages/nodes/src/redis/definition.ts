import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations } from '../kit/integration/operations.ts';
import { redisCredential } from './credential.ts';

const { params: all, effect } = defineOperations({
  key: 'redisOperation',
  initial: 'set',
  operations: {
    set: { title: 'Store a value', effect: 'idempotent', fields: ['redisValue', 'redisTtl'] },
    get: { title: 'Read a value', effect: 'read', fields: [] },
    hasKey: { title: 'Check whether a key exists', effect: 'read', fields: [] },
    deleteKey: { title: 'Delete a key', effect: 'idempotent', fields: [] },
  },
  fields: {
    redisKey: field.template('Key', { placeholder: 'orders:$input.id' }).default('$input.text'),
    redisValue: field
      .template('Value', { help: 'Objects and lists are stored as JSON text.' })
      .default('$input.text'),
    redisTtl: field
      .value('Seconds until the key expires', { help: 'Empty: it does not expire.' })
      .default(''),
  },
});

// Every operation may be repeated.
const { onUnknownOutcome: _, ...params } = all;

export const redis = defineNode({
  type: 'redis',
  title: 'Redis',
  family: 'integration',
  summary: 'Stores, reads and deletes values by key in Redis.',
  search_words: ['cache', 'key value'],
  icon: 'database',
  credentials: [redisCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['redis'],
        when_empty: 'Choose the Redis server',
      })
      .default(''),
    ...params,
  }),
  initial: {
    label: 'redis',
    redisOperation: 'set',
    redisKey: '$input.text',
    redisValue: '$input.text',
  },
  output: z.object({
    success: z.literal(true).optional(),
    key: z.string(),
    ttl: z.int().nullish(),
    value: z.string().nullish(),
    exists: z.boolean().optional(),
    deleted: z.boolean().optional(),
  }),
  effect,
});
