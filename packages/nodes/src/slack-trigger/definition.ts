import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { eventKeyFields } from '../kit/triggers/event-key-fields.ts';
import { slackTriggerCredential } from './credential.ts';

export const slackTrigger = defineNode({
  type: 'slackTrigger',
  title: 'Workspace Chat Trigger',
  family: 'trigger',
  summary: 'Starts the workflow with every event of a workspace chat.',
  search_words: ['slack trigger'],
  icon: 'message-square',
  traits: { role: 'trigger', error_settings: false },
  credentials: [slackTriggerCredential],
  params: z.object({
    credentialId: field
      .custom(z.string(), 'Signing secret', {
        kind: 'credential',
        credential_types: ['slack_trigger'],
        help: 'Deliveries not signed with it are refused.',
      })
      .default(''),
    ...eventKeyFields('$input.event.event.client_msg_id'),
  }),
  initial: { credentialId: '' },
  output: z.looseObject({ event: z.json().optional() }),
  ports: () => ({ inputs: [], outputs: ['output'] }),
  receives: 'webhook',
});
