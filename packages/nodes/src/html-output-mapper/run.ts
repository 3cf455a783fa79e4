import { implement } from '../implement.ts';
import { htmlOutputMapper } from './definition.ts';

export const runHtmlOutputMapper = implement(htmlOutputMapper, ({ params }) => {
  const { html, statusCode, contentType } = params;
  return { output: { html, statusCode, contentType } };
});
