import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations } from '../kit/integration/operations.ts';
import { numeric } from '../kit/values/numeric.ts';

const KEYED = ['value', 'algorithm', 'encoding'];

const { params, effect } = defineOperations({
  key: 'operation',
  initial: 'hash',
  operations: {
    hash: { title: 'Hash', effect: 'pure', fields: KEYED },
    hmac: { title: 'HMAC', effect: 'pure', fields: [...KEYED, 'secret'] },
    // Read and not pure: after a crash the recorded value is kept and no other is drawn.
    random: { title: 'Random bytes', effect: 'read', fields: ['length', 'encoding'] },
    uuid: { title: 'UUID', effect: 'read', fields: [] },
  },
  fields: {
    value: field.template('Text', { kind: 'multiline' }).default('$input.text'),
    secret: field
      .template('Secret', { when_empty: 'Enter the secret', help: 'Such as $credentials.webhookSecret.' })
      .default(''),
    algorithm: field.choice('Algorithm', ['sha256', 'sha512', 'sha384', 'sha1', 'md5']).default('sha256'),
    length: numeric('Bytes', { min: 1, max: 4096, integer: true }).default(32),
    encoding: field.choice('Written in', ['hex', 'base64', 'base64url']).default('hex'),
  },
});

const { onUnknownOutcome: _, ...shown } = params;

export const crypto = defineNode({
  type: 'crypto',
  title: 'Crypto',
  family: 'data',
  summary: 'Makes hashes, signatures, random bytes and UUIDs.',
  search_words: ['sign', 'hmac', 'uuid', 'random'],
  icon: [['path', { d: 'M7 11V7a5 5 0 0 1 10 0v4M5 11h14v10H5zM12 15v2' }]],
  params: z.object(shown),
  initial: { label: 'crypto', operation: 'hash', value: '$input.text' },
  output: z.object({ value: z.string() }),
  effect,
});
