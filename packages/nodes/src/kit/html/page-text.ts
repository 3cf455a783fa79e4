import { NodeFailure } from '@millrace/engine';
import type { CheerioAPI } from 'cheerio';
import { withinStack } from '../nesting.ts';

type Part = ReturnType<ReturnType<CheerioAPI>['contents']>[number];
type Element = Extract<Part, { attribs: unknown }>;

export type PageText = {
  title: string;
  /** Markdown. */
  text: string;
};

/** https://dom.spec.whatwg.org/#interface-node */
const TEXT_NODE = 3;
const SILENT = new Set(
  'script style template noscript head svg iframe object canvas audio video select'.split(' '),
);
/** Begin and end a line. */
const LINES = new Set(
  'div section article main header footer aside nav li tr dt dd figcaption form br hr'.split(' '),
);
/** Begin and end a paragraph. */
const PARAGRAPHS = new Set('p h1 h2 h3 h4 h5 h6 pre ul ol table blockquote dl figure address'.split(' '));
const HIDDEN = /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const TOO_DEEP = 'The elements of the page are nested too deeply to be read';

/**
 * What a page says to its readers, as Markdown. What a browser does not show is left out.
 *
 * @param address of the page, for links that are relative to it
 */
export async function pageText(html: string, address: string): Promise<PageText> {
  const { load } = await import('cheerio');
  const read = () => {
    const page = load(html);
    const writer = new MarkdownWriter(address);
    for (const part of page.root().contents().toArray()) writer.add(part);
    return { title: page('title').first().text().replace(/\s+/g, ' ').trim(), text: writer.text };
  };
  return withinStack(read, () => new NodeFailure({ kind: 'limit', message: TOO_DEEP, final: true }));
}

/** Takes the parts of a page in their order. */
class MarkdownWriter {
  readonly #address: string;
  readonly #lines: string[] = [];
  /** Pieces of the line that is being written. */
  #line: string[] = [];
  /** Before the next line: of a heading or of an item of a list. */
  #mark = '';
  #depth = 0;

  constructor(address: string) {
    this.#address = address;
  }

  get text(): string {
    this.#endLine();
    return this.#lines.join('\n').trim();
  }

  add(part: Part): void {
    if (part.nodeType === TEXT_NODE && 'data' in part) this.#line.push(part.data);
    else if (isElement(part)) this.#addElement(part);
    else if ('children' in part) for (const child of part.children) this.add(child);
  }

  #addElement(element: Element): void {
    const name = element.name.toLowerCase();
    if (SILENT.has(name) || isHidden(element)) return;
    if (name === 'a') return this.#addLink(element);
    if (name === 'pre') return this.#addCode(element);
    const isParagraph = PARAGRAPHS.has(name);
    const isLine = isParagraph || LINES.has(name);
    const isList = name === 'ul' || name === 'ol';
    if (isLine) this.#endLine();
    if (isParagraph && !(isList && this.#depth > 0)) this.#endParagraph();
    if (isList) this.#depth += 1;
    if (/^h[1-6]$/.test(name)) this.#mark = `${'#'.repeat(Number(name[1]))} `;
    if (name === 'li') this.#mark = `${'  '.repeat(Math.max(this.#depth - 1, 0))}- `;
    if (name === 'td' || name === 'th') this.#line.push(' | ');
    if (name === 'img') this.#line.push(element.attribs['alt'] ?? '');
    for (const child of element.children) this.add(child);
    if (isList) this.#depth -= 1;
    if (isLine) this.#endLine();
    if (isParagraph && this.#depth === 0) this.#endParagraph();
  }

  #addLink(element: Element): void {
    const lines = this.#lines.length;
    const start = this.#line.length;
    for (const child of element.children) this.add(child);
    const target = this.#targetOf(element.attribs['href'] ?? '');
    // A link around whole paragraphs is not written as one.
    if (target === undefined || this.#lines.length !== lines) return;
    const words = joined(this.#line.splice(start)).trim();
    if (words !== '') this.#line.push(`[${words}](${target})`);
  }

  #targetOf(href: string): string | undefined {
    const target = URL.parse(href, this.#address);
    if (href === '' || href.startsWith('#') || !target || !/^https?:$/.test(target.protocol))
      return undefined;
    return target.href;
  }

  #addCode(element: Element): void {
    this.#endLine();
    this.#endParagraph();
    this.#lines.push('```', ...rawText(element).replace(/\n$/, '').split('\n'), '```', '');
  }

  #endLine(): void {
    const text = joined(this.#line).trim().replace(/^\| /, '');
    this.#line = [];
    if (text === '') return;
    this.#lines.push(this.#mark + text);
    this.#mark = '';
  }

  #endParagraph(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== '') this.#lines.push('');
  }
}

const joined = (pieces: readonly string[]): string => pieces.join('').replace(/\s+/g, ' ');

const isElement = (part: Part): part is Element => 'attribs' in part && 'name' in part;

const isHidden = ({ attribs }: Element): boolean =>
  'hidden' in attribs || attribs['aria-hidden'] === 'true' || HIDDEN.test(attribs['style'] ?? '');

function rawText(part: Part): string {
  if (part.nodeType === TEXT_NODE && 'data' in part) return part.data;
  return 'children' in part ? part.children.map(rawText).join('') : '';
}
