import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { numeric } from '../kit/values/numeric.ts';
import { decisionCredential } from './credential.ts';

export const decision = defineNode({
  type: 'decision',
  title: 'Decision Model',
  family: 'ai',
  summary: 'Asks a decision model closed questions and returns its confidence in each answer.',
  search_words: ['classify', 'text classifier'],
  icon: 'brain',
  credentials: [decisionCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: [decisionCredential.type],
        when_empty: 'Choose the decision model',
      })
      .default(''),
    model: field
      .template('Model', {
        when_empty: 'Enter the name of the model',
        shown_when: [{ field: 'customBodyEnabled', is: [false] }],
      })
      .default(''),
    state: field
      .value('What to decide about', {
        kind: 'expression',
        help: 'A text, or one expression, whose value keeps its type.',
      })
      .default('$input.text'),
    questions: field
      .custom(z.union([z.array(z.unknown()), z.string()]), 'Questions', {
        kind: 'json',
        help: 'A list such as [{"id": "urgent", "type": "noul", "instructions": "Is it urgent?"}].',
      })
      .default([]),
    customBodyEnabled: field.boolean('Write the whole request body').default(false),
    customBody: field
      .value('Custom body', {
        kind: 'json',
        help: 'A JSON object that is sent as is, instead of the model, the state and the questions.',
        shown_when: [{ field: 'customBodyEnabled', is: [true] }],
      })
      .default(''),
    requestTimeoutSeconds: numeric('Timeout per call (seconds)', { min: 1, max: 3_600 }).default(60),
  }),
  initial: { label: 'decision', state: '$input.text', questions: [] },
  effect: 'steps',
});
