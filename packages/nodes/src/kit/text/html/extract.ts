import { NodeFailure } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { CheerioAPI } from 'cheerio';
import { refusedParam } from '../../refused-param.ts';
import { withinStack } from '../../values/nesting.ts';
import type { Selector } from './selectors.ts';

type Found = Record<string, string>;
type Part = ReturnType<ReturnType<CheerioAPI>['contents']>[number];

/** Reading a page takes this process as long as the page is large. */
const LONGEST_PAGE = 10 * MEGABYTE;
const MOST_ELEMENTS = 10_000;
const TOO_DEEP = 'The elements of the page are nested too deeply to be read';
/** https://dom.spec.whatwg.org/#interface-node */
const TEXT_NODE = 3;
const SILENT = new Set(['script', 'style', 'template', 'noscript']);

/**
 * The elements that each selector finds: their text, and the attributes that they have of those asked for.
 *
 * @param field parameter with the selectors, for the error when one is none
 */
export async function extract(
  html: string,
  selectors: readonly Selector[],
  field: string,
): Promise<Record<string, Found[]>> {
  if (html.length > LONGEST_PAGE) {
    throw new NodeFailure({
      kind: 'limit',
      message: 'The page is larger than 10 MB; read it without elements and take parts of its text',
    });
  }
  const { load } = await import('cheerio');
  const read = () => {
    const page = load(html);
    return Object.fromEntries(selectors.map((one) => [one.name, elements(page, one, field)]));
  };
  return withinStack(read, () => new NodeFailure({ kind: 'limit', message: TOO_DEEP, final: true }));
}

function elements(page: CheerioAPI, { selector, attributes }: Selector, field: string): Found[] {
  return find(page, selector, field).map((element) => {
    const found: Found = { text: collectTexts(element).join('\n') };
    for (const name of attributes) {
      const value = name === 'innerHTML' ? page(element).html() : page(element).attr(name);
      if (value !== undefined && value !== null) found[name] = value;
    }
    return found;
  });
}

function find(page: CheerioAPI, selector: string, field: string): Part[] {
  try {
    return page(selector).toArray().slice(0, MOST_ELEMENTS);
  } catch {
    throw refusedParam(field, `"${selector.slice(0, 80)}" is not a CSS selector`);
  }
}

/** Texts in an element, each without the space around it; scripts and styles are none unless they are asked for. */
function collectTexts(part: Part): string[] {
  if (part.nodeType === TEXT_NODE && 'data' in part) return [part.data.trim()].filter((text) => text !== '');
  if (!('children' in part)) return [];
  return part.children.flatMap((child) => (isSilent(child) ? [] : collectTexts(child)));
}

const isSilent = (part: Part): boolean => 'name' in part && SILENT.has(part.name.toLowerCase());
