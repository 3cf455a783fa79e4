import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { numeric } from '../shared/numeric.ts';

/** RFC 9110 section 8.3: type, subtype and parameters; control characters would split the answer's headers. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7e]*)?$/;

export const htmlOutputMapper = defineNode({
  type: 'htmlOutputMapper',
  title: 'HTML Response',
  family: 'output',
  summary: 'Ends the workflow with a page; as the only end it is the whole response.',
  icon: 'file-code',
  traits: { terminal: 'html' },
  params: z.object({
    html: field.template('HTML', { kind: 'html' }).default(''),
    statusCode: numeric('HTTP status', { min: 200, max: 599, integer: true }).default(200),
    contentType: field
      .text('Content type')
      .regex(MEDIA_TYPE, { error: 'must be a media type such as text/html; charset=utf-8' })
      .default('text/html; charset=utf-8'),
  }),
  initial: { html: '', statusCode: 200, contentType: 'text/html; charset=utf-8' },
  output: z.object({ html: z.string(), statusCode: z.int(), contentType: z.string() }),
  ports: () => ({ inputs: ['input'], outputs: [] }),
});
