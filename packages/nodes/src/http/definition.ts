import { defineNode, field, readText } from '@millrace/engine';
import { z } from 'zod';
import { FILE_RECORD } from '../kit/files/file-record.ts';
import { bearerCredential, headerCredential, oauth2Credential } from './credential.ts';
import { curlEffect } from './curl/effect.ts';
import { pageFields } from './pages/fields.ts';

export const http = defineNode({
  type: 'http',
  title: 'HTTP Request',
  family: 'network',
  summary: 'Calls an HTTP address.',
  search_words: ['api', 'rest', 'curl', 'fetch'],
  icon: 'globe',
  credentials: [bearerCredential, headerCredential, oauth2Credential],
  traits: { answers_status: true },
  params: z.object({
    // A run splits the stored text first and evaluates each argument by itself; the mode tells the editor and the
    // credential loader where references are.
    curl: field
      .template('Request', {
        kind: 'curl',
        when_empty: 'Enter the address, or paste a command such as curl https://api.example.com',
        help: 'Values of expressions stay inside their argument, including any quotes and spaces.',
      })
      .default(''),
    failOnErrorStatus: field
      .boolean('Fail on error status', {
        help: 'A status of 400 or above fails the node. Otherwise the status is shown on the canvas and the run continues.',
      })
      .default(false),
    responseBody: field
      .choice('Response body', ['read', 'base64', 'file'], {
        choices: [
          { value: 'read', title: 'JSON or text, anything else as base64' },
          { value: 'base64', title: 'Always as base64' },
          { value: 'file', title: 'Save as a file in the Drive' },
        ],
        help: 'Only for a status of 200 to 299; the body of any other status is read as JSON or text.',
      })
      .default('read'),
    ...pageFields,
    onUnknownOutcome: field
      .choice('When a crash leaves the outcome unknown', ['fail', 'repeat'], {
        choices: [
          { value: 'fail', title: 'Fail the node' },
          { value: 'repeat', title: 'Send the request again with the same Idempotency-Key' },
        ],
        help: 'Only for POST and PATCH; other methods are always repeated.',
      })
      .default('fail'),
  }),
  initial: { label: 'httpRequest', curl: 'curl -X GET https://api.example.com', failOnErrorStatus: true },
  output: z.object({
    status: z.int(),
    headers: z.record(z.string(), z.string()),
    body: z.json(),
    body_encoding: z.literal('base64').optional(),
    file: z.object(FILE_RECORD).optional(),
    pages: z.int().optional(),
    has_more: z.boolean().optional(),
    request: z.object({ method: z.string(), url: z.string(), headers: z.record(z.string(), z.string()) }),
  }),
  effect: (data) => {
    const effect = curlEffect(readText(data['curl']));
    if (effect === 'unsafe' && data['onUnknownOutcome'] === 'repeat') return 'idempotent';
    return effect === 'read' && data['responseBody'] === 'file' ? 'idempotent' : effect;
  },
});
