import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { eventKeyFields } from '../kit/triggers/event-key-fields.ts';
import { numeric } from '../kit/values/numeric.ts';
import { imapCredential } from './credential.ts';

const MOST_MINUTES = 24 * 60;

export const imapTrigger = defineNode({
  type: 'imapTrigger',
  title: 'Mailbox',
  family: 'trigger',
  summary: 'Starts the workflow with every new email of an IMAP mailbox.',
  search_words: ['email trigger', 'imap', 'mail'],
  icon: 'mail',
  traits: { role: 'trigger', error_settings: false },
  credentials: [imapCredential],
  params: z.object({
    credentialId: field
      .custom(z.string(), 'Mailbox', {
        kind: 'credential',
        credential_types: ['imap'],
      })
      .default(''),
    pollIntervalMinutes: numeric('Check every (minutes)', { min: 1, max: MOST_MINUTES }).default(5),
    ...eventKeyFields('$input.email.messageId'),
  }),
  initial: { credentialId: '', pollIntervalMinutes: 5 },
  output: z.looseObject({ email: z.json().optional(), triggered_at: z.string().optional() }),
  ports: () => ({ inputs: [], outputs: ['output'] }),
  receives: 'poll',
});
