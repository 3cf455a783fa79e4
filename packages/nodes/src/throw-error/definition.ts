import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { numeric } from '../kit/values/numeric.ts';

export const throwError = defineNode({
  type: 'throwError',
  title: 'Throw Error',
  family: 'flow',
  summary: 'Ends the run with an error message and an HTTP status.',
  search_words: ['stop and error', 'raise', 'fail'],
  icon: 'octagon-x',
  traits: { always_stops: true, error_settings: false, as_tool: false },
  params: z.object({
    errorMessage: field.template('Message').default(''),
    httpStatusCode: numeric('HTTP status', {
      min: 400,
      max: 599,
      integer: true,
      help: 'Status of the HTTP response, 400 to 599.',
    }).optional(),
  }),
  initial: { errorMessage: '$input.text', httpStatusCode: 400 },
  ports: () => ({ inputs: ['input'], outputs: [] }),
});
