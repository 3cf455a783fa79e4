import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { unknownOutcome } from '../kit/integration/operations.ts';
import { smtpCredential } from './credential.ts';

export const sendEmail = defineNode({
  type: 'sendEmail',
  title: 'Send Email',
  family: 'integration',
  summary: 'Sends an email through an SMTP server.',
  search_words: ['smtp', 'gmail', 'outlook', 'mail'],
  icon: [
    ['rect', { x: '2', y: '4', width: '20', height: '16', rx: '2' }],
    ['path', { d: 'm2 7 8.97 5.7a1.94 1.94 0 0 0 2.06 0L22 7' }],
    ['path', { d: 'M15 17h4' }],
  ],
  credentials: [smtpCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['smtp'],
        when_empty: 'Choose the SMTP server that sends the mail',
      })
      .default(''),
    to: field
      .template('To', {
        when_empty: 'Enter at least one recipient',
        help: 'Separate several addresses with commas.',
        placeholder: 'ada@example.com, Grace <grace@example.com>',
      })
      .default(''),
    cc: field.template('Cc').default(''),
    bcc: field.template('Bcc').default(''),
    subject: field.template('Subject').default(''),
    emailBody: field
      .template('Text', {
        kind: 'multiline',
        help: 'Text that looks like HTML is sent as HTML, together with a plain version.',
      })
      .default('$input.text'),
    attachments: field
      .value('Attachments', {
        help: 'A list of {filename, content_base64, mime_type}, or content in place of content_base64 for text.',
      })
      .default(''),
    onUnknownOutcome: unknownOutcome(),
  }),
  initial: { label: 'sendEmail', to: '', subject: '', emailBody: '$input.text' },
  output: z.object({
    status: z.literal('sent'),
    to: z.string(),
    subject: z.string(),
    cc: z.string().optional(),
    bcc: z.string().optional(),
    attachment_count: z.int().optional(),
    message_id: z.string(),
  }),
  effect: (data) => (data['onUnknownOutcome'] === 'repeat' ? 'idempotent' : 'unsafe'),
});
