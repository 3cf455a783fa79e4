import { field } from '@millrace/engine';
import { z } from 'zod';

/** The categories that guardrails can block, with the words of the form. */
export const GUARDRAIL_CATEGORIES = {
  violence: 'Violence',
  hate_speech: 'Hate speech',
  sexual_content: 'Sexual content',
  nsfw: 'Not safe for work',
  self_harm: 'Self-harm',
  harassment: 'Harassment',
  illegal_activity: 'Illegal activity',
  political_extremism: 'Political extremism',
  spam_phishing: 'Spam and phishing',
  personal_data: 'Personal data',
  prompt_injection: 'Prompt injection',
} as const;

export type GuardrailCategory = keyof typeof GUARDRAIL_CATEGORIES;

/** Guarantee: the type of the object names all of its keys. */
const NAMES = Object.keys(GUARDRAIL_CATEGORIES) as [GuardrailCategory, ...GuardrailCategory[]];

const GUARDED = {
  group: 'Guardrails',
  shown_when: [{ field: 'guardrailsEnabled', is: [true] }],
} as const;

/** @param credential_types types of credentials that open one model; a router cannot check messages */
export const guardrailParams = (credential_types: readonly string[]) => ({
  guardrailsEnabled: field
    .boolean('Guardrails', {
      group: 'Guardrails',
      help: 'The user message is checked before the model gets it. If it is blocked or cannot be checked, the node fails.',
    })
    .default(false),
  guardrailsCategories: field
    .custom(z.array(z.enum(NAMES)), 'Blocked content', {
      kind: 'choices',
      ...GUARDED,
      choices: NAMES.map((value) => ({ value, title: GUARDRAIL_CATEGORIES[value] })),
      help: 'If nothing is chosen, nothing is checked.',
    })
    .default([]),
  guardrailsSeverity: field
    .choice('Blocked from', ['low', 'medium', 'high'], {
      ...GUARDED,
      choices: [
        { value: 'low', title: 'Mild violations (strict)' },
        { value: 'medium', title: 'Clear violations' },
        { value: 'high', title: 'Severe violations only (lenient)' },
      ],
    })
    .default('medium'),
  guardrailCredentialId: field
    .text('Guardrail credential', {
      kind: 'credential',
      credential_types,
      ...GUARDED,
      help: 'With an OpenAI credential, its moderation checks the message as well.',
    })
    .default(''),
  guardrailModel: field
    .resource('Guardrail model', {
      resource: {
        list: 'models',
        depends_on: ['guardrailCredentialId'],
        credential: 'guardrailCredentialId',
      },
      ...GUARDED,
      help: 'A small, fast model is enough.',
    })
    .default(''),
});
