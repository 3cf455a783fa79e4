import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { parseNumber } from '../kit/values/numeric.ts';

/** RFC 9110 section 8.3: type, subtype and parameters; control characters would split the answer's headers. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7e]*)?$/;

const USUAL_TYPE = 'text/html; charset=utf-8';
const USUAL_STATUS = 200;

/** Exports store any text; what is no status of a final answer means the usual one. */
function toStatus(written: number | string): number {
  const status = typeof written === 'number' ? written : parseNumber(written);
  return status !== undefined && Number.isInteger(status) && status >= 200 && status <= 599
    ? status
    : USUAL_STATUS;
}

export const htmlOutputMapper = defineNode({
  type: 'htmlOutputMapper',
  title: 'HTML Response',
  family: 'output',
  summary: 'Ends the workflow with a page; as the only end node it is the whole response.',
  search_words: ['respond to webhook', 'page'],
  icon: 'file-code',
  traits: { terminal: 'html' },
  params: z.object({
    html: field.template('HTML', { kind: 'html' }).default(''),
    statusCode: field
      .custom(z.union([z.number(), z.string()]).transform(toStatus), 'HTTP status', {
        kind: 'number',
        help: '200 to 599; anything else answers with 200.',
      })
      .default(USUAL_STATUS),
    contentType: field
      .custom(
        z
          .string()
          .transform((text) => (text.trim() === '' ? USUAL_TYPE : text))
          .pipe(z.string().regex(MEDIA_TYPE, { error: `must be a media type such as ${USUAL_TYPE}` })),
        'Content type',
        { kind: 'text' },
      )
      .default(USUAL_TYPE),
  }),
  initial: { html: '', statusCode: USUAL_STATUS, contentType: USUAL_TYPE },
  output: z.object({ html: z.string(), statusCode: z.int(), contentType: z.string() }),
  ports: () => ({ inputs: ['input'], outputs: [] }),
});
