import { rootOfXml, type XmlElement } from '../kit/text/xml.ts';

type Enclosure = {
  url: string;
  type: string | null;
  length: number | null;
};

/** Where a feed is read from, for the addresses in it may be relative. */
type Base = string;

const isAtom = ({ name }: XmlElement): boolean => name === 'feed' || name.endsWith(':feed');

const all = (element: XmlElement, name: string): XmlElement[] =>
  element.children.filter((child) => child.name.toLowerCase() === name.toLowerCase());

/** Text of the first of these elements that has one; null when none has. */
function findText(element: XmlElement, ...names: readonly string[]): string | null {
  for (const name of names) {
    const found = all(element, name)
      .map(readContent)
      .find((text) => text !== '');
    if (found !== undefined) return found;
  }
  return null;
}

/** RFC 4287 section 3.1.1.3: XHTML is enclosed in a `div`, which is not part of it. */
function readContent({ attributes, children, text, inner }: XmlElement): string {
  const [div] = children;
  if (attributes['type'] !== 'xhtml' || div === undefined) return text;
  return (children.length === 1 ? div.inner() : inner()).trim();
}

function absolute(link: string | null | undefined, base: Base): string | null {
  if (link === null || link === undefined || link === '') return null;
  return URL.canParse(link, base) ? new URL(link, base).href : link;
}

/** ISO 8601 in UTC; RFC 822 dates of RSS and RFC 3339 dates of Atom. Others stay as they are written. */
function toIsoDate(text: string | null): string | null {
  if (text === null) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? text : new Date(ms).toISOString();
}

/** RFC 4287 section 4.2.7: a link without `rel` is the one of the entry. */
const atomLink = (element: XmlElement, rel: string): XmlElement | undefined =>
  all(element, 'link').find(({ attributes }) => (attributes['rel'] ?? 'alternate') === rel);

function readLink(element: XmlElement, base: Base): string | null {
  return absolute(findText(element, 'link') ?? atomLink(element, 'alternate')?.attributes['href'], base);
}

function readEnclosure(element: XmlElement, base: Base): Enclosure | null {
  const found = all(element, 'enclosure')[0] ?? atomLink(element, 'enclosure');
  const url = absolute(found?.attributes['url'] ?? found?.attributes['href'], base);
  if (!found || url === null) return null;
  const length = Number(found.attributes['length'] || Number.NaN);
  return { url, type: found.attributes['type'] ?? null, length: Number.isFinite(length) ? length : null };
}

function readAuthor(element: XmlElement): string | null {
  const person = all(element, 'author')[0];
  return (person && findText(person, 'name', 'email')) ?? findText(element, 'dc:creator', 'author');
}

function readEntry(element: XmlElement, base: Base) {
  const link = readLink(element, base);
  return {
    id: findText(element, 'guid', 'id') ?? link,
    title: findText(element, 'title'),
    link,
    summary: findText(element, 'description', 'summary'),
    content: findText(element, 'content:encoded', 'content'),
    author: readAuthor(element),
    published: toIsoDate(findText(element, 'pubDate', 'published', 'dc:date')),
    updated: toIsoDate(findText(element, 'updated')),
    categories: all(element, 'category')
      .map(({ text, attributes }) => text || (attributes['term'] ?? ''))
      .filter((name) => name !== ''),
    enclosure: readEnclosure(element, base),
  };
}

/** RSS 2.0, RSS 1.0 (RDF) and Atom (RFC 4287); undefined for a document that is none of them. */
function readFeed(root: XmlElement, base: Base) {
  const channel = isAtom(root) ? root : all(root, 'channel')[0];
  if (!channel) return undefined;
  // In RSS 1.0 the entries stand beside the channel.
  const entries = isAtom(root) ? all(root, 'entry') : [...all(channel, 'item'), ...all(root, 'item')];
  const feed = {
    title: findText(channel, 'title'),
    link: readLink(channel, base),
    description: findText(channel, 'description', 'subtitle'),
    updated: toIsoDate(findText(channel, 'lastBuildDate', 'updated', 'pubDate', 'dc:date')),
  };
  return { feed, items: entries.map((entry) => readEntry(entry, base)) };
}

/** The feed in a document; undefined when there is none. */
export async function feedIn(text: string, base: Base) {
  const root = await rootOfXml(text);
  return root && readFeed(root, base);
}
