import { implement } from '../implement.ts';
import { extract } from '../kit/html/extract.ts';
import { selectorsOf } from '../kit/html/selectors.ts';
import { requiredText } from '../kit/integration/object-input.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { htmlExtract } from './definition.ts';

const SELECTORS = 'selectors';

export const runHtmlExtract = implement(htmlExtract, async ({ params }) => {
  const html = requiredText(params, 'html');
  const selectors = selectorsOf(params, SELECTORS);
  if (selectors.length === 0) {
    throw refusedParam(SELECTORS, 'is empty; enter a list such as [{"name": "title", "selector": "h1"}]');
  }
  return { output: { extracted: await extract(html, selectors, SELECTORS) } };
});
