import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { numeric } from '../kit/values/numeric.ts';

/** One week. */
const MOST_MINUTES = 7 * 24 * 60;
const MOST_MB = 100;

export const fileUploadTrigger = defineNode({
  type: 'fileUploadTrigger',
  title: 'File Upload',
  family: 'trigger',
  summary: 'Starts the workflow with a file that is sent to a one-time address.',
  search_words: ['upload form'],
  icon: 'file-up',
  traits: { role: 'trigger', error_settings: false, only_waits: true },
  params: z.object({
    ttlMinutes: numeric('Minutes until the address expires', {
      min: 1,
      max: MOST_MINUTES,
      integer: true,
      help: 'From the call that creates the address.',
    }).default(60),
    maxSizeMb: numeric('Largest file in MB', { min: 1, max: MOST_MB }).default(MOST_MB),
    allowedTypes: field
      .text('Allowed types', {
        placeholder: 'application/pdf, image/*, .csv',
        help: 'MIME types or file endings, separated by commas; empty: any type.',
      })
      .default(''),
  }),
  initial: { label: 'fileUpload', ttlMinutes: 60, maxSizeMb: MOST_MB, allowedTypes: '' },
  output: z.union([
    z.object({
      file: z.object({
        id: z.string(),
        name: z.string(),
        mime: z.string(),
        size: z.number(),
        download_url: z.string(),
      }),
      uploaded_at: z.string(),
      client_ip: z.string(),
    }),
    z.object({ expired: z.literal(true) }),
  ]),
  ports: () => ({ inputs: [], outputs: ['output', 'expired'] }),
  failing_port: { port: 'expired', message: 'No file was sent before the upload address expired' },
  effect: 'steps',
  receives: 'upload',
});
