import { NodeFailure } from '@millrace/engine';
import type { CheerioAPI } from 'cheerio';
import { withinStack } from '../../values/nesting.ts';
import { openMarkdownWriter } from './markdown.ts';

export type PageText = {
  title: string;
  /** Markdown. */
  text: string;
};

/** The properties that the rules need of an element of the library's document. */
interface Tag {
  readonly previousElementSibling: unknown;
  getAttribute(name: string): string | null;
}

const HIDDEN_STYLE = /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const UNSEEN = 'template, svg, object, canvas, audio, video, select, [hidden], [aria-hidden="true"]';
/** A link around any of these is not written as one. */
const BLOCKS = 'p, div, ul, ol, table, pre, h1, h2, h3, h4, h5, h6, section, article, figure, blockquote';
const TOO_DEEP = 'The elements of the page are nested too deeply to be read';

/**
 * The content of a page for its readers, as Markdown. What a browser does not show is left out.
 *
 * @param address of the page, for links that are relative to it
 */
export async function pageText(html: string, address: string): Promise<PageText> {
  const { load } = await import('cheerio');
  const writer = await openMarkdownWriter();
  writer.addRule('image', {
    filter: 'img',
    replacement: (_, image) => (image as unknown as Tag).getAttribute('alt') ?? '',
  });
  writer.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (words, cell) =>
      `${(cell as unknown as Tag).previousElementSibling ? ' | ' : ''}${words.trim().replace(/\s+/g, ' ')}`,
  });
  writer.addRule('row', { filter: 'tr', replacement: (cells) => `${cells}\n` });
  const read = () => {
    const page = load(html);
    const title = page('title').first().text().replace(/\s+/g, ' ').trim();
    page(UNSEEN).remove();
    page('[style]')
      .filter((_, element) => HIDDEN_STYLE.test(page(element).attr('style') ?? ''))
      .remove();
    // The library writes code only where it is marked as such.
    page('pre').not(':has(> code)').wrapInner('<code></code>');
    for (const link of page('a[href]').toArray()) completeLink(page, link, address);
    return { title, text: writer.turndown(page('body').html() ?? '') };
  };
  return withinStack(read, () => new NodeFailure({ kind: 'limit', message: TOO_DEEP, final: true }));
}

/** A link that leads nowhere becomes its words. */
function completeLink(page: CheerioAPI, link: Parameters<CheerioAPI>[0], address: string): void {
  const element = page(link);
  const href = element.attr('href') ?? '';
  const target = URL.parse(href, address);
  const isEmpty = element.text().trim() === '' && element.find('img[alt]').length === 0;
  const leads = href !== '' && !href.startsWith('#') && target !== null && /^https?:$/.test(target.protocol);
  if (leads && !isEmpty && element.find(BLOCKS).length === 0) element.attr('href', target.href);
  else element.removeAttr('href');
}
