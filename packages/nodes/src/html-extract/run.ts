import { implement } from '../implement.ts';
import { requiredText } from '../kit/integration/object-input.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { findElements } from '../kit/text/html/elements.ts';
import { readSelectors } from '../kit/text/html/selectors.ts';
import { htmlExtract } from './definition.ts';

const SELECTORS = 'selectors';

export const runHtmlExtract = implement(htmlExtract, async (call) => {
  const { params } = call;
  const html = requiredText(params, 'html');
  const selectors = readSelectors(params, SELECTORS);
  if (selectors.length === 0) {
    throw refusedParam(SELECTORS, 'is empty; enter a list such as [{"name": "title", "selector": "h1"}]');
  }
  return { output: { extracted: await findElements(call, html, { selectors, field: SELECTORS }) } };
});
