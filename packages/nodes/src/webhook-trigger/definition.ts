import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { eventKeyFields } from '../kit/triggers/event-key-fields.ts';
import { basicAuthCredential, webhookSecretCredential } from './credential.ts';

export const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const SIGNED = [{ field: 'authentication', is: ['hmac'] }];

export const webhookTrigger = defineNode({
  type: 'webhookTrigger',
  title: 'Webhook',
  family: 'trigger',
  summary: 'Starts the workflow with every HTTP call to its address.',
  search_words: ['incoming call', 'endpoint'],
  icon: 'webhook',
  traits: { role: 'trigger', error_settings: false },
  credentials: [basicAuthCredential, webhookSecretCredential],
  params: z.object({
    methods: field
      .custom(z.array(z.enum(VERBS)).min(1, { error: 'Choose at least one method' }), 'Methods', {
        kind: 'choices',
        choices: VERBS.map((value) => ({ value, title: value })),
      })
      .default(['POST']),
    authentication: field
      .choice('Authentication', ['none', 'header', 'basic', 'hmac'], {
        choices: [
          { value: 'none', title: 'None' },
          { value: 'header', title: 'Header' },
          { value: 'basic', title: 'User name and password' },
          { value: 'hmac', title: 'Signature (HMAC)' },
        ],
      })
      .default('none'),
    credentialId: field
      .custom(z.string(), 'Credential', {
        kind: 'credential',
        credential_types: ['header', 'basic_auth', 'webhook_secret'],
        help: 'Calls that do not authenticate with it are refused.',
        shown_when: [{ field: 'authentication', is: ['header', 'basic', 'hmac'] }],
      })
      .default(''),
    signatureHeader: field
      .text('Header with the signature', { shown_when: SIGNED, help: 'Computed over the body as sent.' })
      .default('X-Hub-Signature-256'),
    signatureAlgorithm: field
      .choice('Algorithm', ['sha256', 'sha512', 'sha384', 'sha1'], { shown_when: SIGNED })
      .default('sha256'),
    respond: field
      .choice('Answer', ['immediately', 'at_end', 'by_output'], {
        choices: [
          { value: 'immediately', title: 'At once' },
          { value: 'at_end', title: 'When the run has ended' },
          { value: 'by_output', title: 'When an Output node answers' },
        ],
      })
      .default('immediately'),
    eventIdHeader: field
      .text('Header with the id of the event', {
        placeholder: 'X-GitHub-Delivery',
        help: 'A call with the same id within 30 days does not start a second run.',
      })
      .default(''),
    ...eventKeyFields('$input.body.id'),
  }),
  initial: { methods: ['POST'], authentication: 'none', respond: 'immediately' },
  output: z.looseObject({ body: z.json().optional(), method: z.string().optional() }),
  ports: () => ({ inputs: [], outputs: ['output'] }),
  receives: 'webhook',
});
