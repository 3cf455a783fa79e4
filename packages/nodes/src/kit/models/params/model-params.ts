import { field } from '@millrace/engine';
import {
  anthropicCredential,
  customCredential,
  googleCredential,
  openaiCredential,
} from '../../../llm/credential.ts';
import { numeric, optionalNumeric } from '../../values/numeric.ts';
import { costBudget } from '../budgets/cost-budget.ts';
import { guardrailParams } from './guardrail-params.ts';

export const MODEL_CREDENTIALS = [openaiCredential, anthropicCredential, googleCredential, customCredential];
const MODEL_TYPES = MODEL_CREDENTIALS.map(({ type }) => type);
/** Credentials of models, and of a router, which stands for several of them (specification 2.7). */
export const ASKED_TYPES = [...MODEL_TYPES, 'model_router'];

/** Ways to answer of the Language Model node, which declares them again; an imported agent may have them, and says that it cannot. */
const LATER = { kind: 'hidden' } as const;

/** Parameters that nodes that ask a language model have in common. */
export const modelParams = {
  credentialId: field
    .text('Credential', {
      kind: 'credential',
      credential_types: ASKED_TYPES,
      when_empty: 'Choose the credential of the model',
    })
    .default(''),
  model: field
    .resource('Model', {
      resource: { list: 'models', depends_on: ['credentialId'], narrowed_by: ['outputType'] },
      when_empty: 'Choose the model',
      help: 'For a model router, enter Auto.',
    })
    .default(''),
  systemInstruction: field
    .template('System instruction', {
      kind: 'multiline',
      mode: 'prompt',
      placeholder: 'You answer in one sentence.',
    })
    .default(''),
  userMessage: field
    .template('User message', {
      kind: 'multiline',
      mode: 'prompt',
      help: 'When it is empty, the model gets the texts of all inputs.',
    })
    .default('$input.text'),
  conversationHistoryEnabled: field
    .boolean('Send the conversation so far', {
      help: 'In runs of the chat portal, the earlier messages come before the user message.',
    })
    .default(true),
  imageInputEnabled: field.boolean('Send an image', { group: 'Image' }).default(false),
  imageInput: field
    .raw('Image', {
      group: 'Image',
      help: 'An address, a data URL, or a list of them.',
      shown_when: [{ field: 'imageInputEnabled', is: [true] }],
    })
    .default(''),
  jsonOutputEnabled: field.boolean('Answer as JSON', { group: 'Answer' }).default(false),
  jsonOutputSchema: field
    .text('JSON Schema of the answer', {
      kind: 'json',
      group: 'Answer',
      help: 'Empty: any JSON object.',
      placeholder: '{"type": "object", "properties": {"sentiment": {"type": "string"}}}',
      shown_when: [{ field: 'jsonOutputEnabled', is: [true] }],
    })
    .default(''),
  temperature: optionalNumeric('Temperature', {
    min: 0,
    max: 2,
    group: 'Answer',
    help: "Leave it empty for the model's default. Not sent to reasoning models.",
  }).default(0.7),
  maxTokens: optionalNumeric('Maximum tokens in the answer', {
    min: 1,
    max: 10_000_000,
    integer: true,
    group: 'Answer',
  }),
  reasoningEffort: field
    .choice('Reasoning effort', ['', 'low', 'medium', 'high'], {
      group: 'Answer',
      choices: [
        { value: '', title: 'Not set' },
        { value: 'low', title: 'Low' },
        { value: 'medium', title: 'Medium' },
        { value: 'high', title: 'High' },
      ],
    })
    .default(''),
  isReasoningModel: field.boolean('Reasoning model', { group: 'Answer' }).default(false),
  maxCostUsd: costBudget(
    'The node stops calling models once its calls have cost this much. Counted at list prices; models without a known price do not count. Empty: no budget.',
  ),
  fallbackCredentialId: field
    .text('Fallback credential', {
      kind: 'credential',
      credential_types: ASKED_TYPES,
      group: 'Fallback',
      help: 'Used when the first model fails for any reason.',
    })
    .default(''),
  fallbackModel: field
    .resource('Fallback model', {
      resource: {
        list: 'models',
        depends_on: ['fallbackCredentialId'],
        narrowed_by: ['outputType'],
        credential: 'fallbackCredentialId',
      },
      group: 'Fallback',
    })
    .default(''),
  requestTimeoutSeconds: numeric('Timeout per call (seconds)', {
    min: 1,
    max: 3_600,
    group: 'Request',
  }).default(60),
  extraBodyEnabled: field.boolean('Add fields to the request body', { group: 'Request' }).default(false),
  extraBody: field
    .value('Extra body', {
      kind: 'json',
      group: 'Request',
      help: 'A JSON object whose fields replace those of the request.',
      shown_when: [{ field: 'extraBodyEnabled', is: [true] }],
    })
    .default(''),
  responsesApiEnabled: field
    .boolean('Responses API', {
      group: 'Request',
      help: 'Asks OpenAI and compatible servers through the Responses API instead of Chat Completions. Other providers are asked as always.',
    })
    .default(false),
  outputType: field.choice('Output type', ['text', 'image'], LATER).default('text'),
  imageSize: field.text('Image size', LATER).default('1024x1024'),
  imageQuality: field.text('Image quality', LATER).default('auto'),
  batchModeEnabled: field.boolean('Batch mode', LATER).default(false),
  ...guardrailParams(MODEL_TYPES),
};
