import { isBlockedKey, type Json, type JsonObject } from '@millrace/engine';
import type { CheerioAPI } from 'cheerio';

type Part = ReturnType<ReturnType<CheerioAPI>['contents']>[number];

/** Deeper documents are refused: later steps walk values recursively. */
const MAX_DEPTH = 200;
/** https://dom.spec.whatwg.org/#interface-node */
const TEXT_NODE = 3;
const CDATA_NODE = 4;

/** An element of an XML document. */
export interface XmlElement {
  /** As written, with its prefix: `dc:date`. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Its own text and CDATA, without the space around. */
  readonly text: string;
  /** Its content as XML. */
  inner(): string;
}

/** The outermost element of a document; undefined when the text has none, or is nested too deeply. */
export async function rootOfXml(text: string): Promise<XmlElement | undefined> {
  const { load } = await import('cheerio');
  const page = load(text.replace(/^\uFEFF/, ''), { xml: true });
  const [root] = page.root().children().toArray();
  return root && toElement(page, root, 1);
}

function toElement(page: CheerioAPI, part: Part, depth: number): XmlElement | undefined {
  if (!('attribs' in part) || depth > MAX_DEPTH) return undefined;
  const children: XmlElement[] = [];
  for (const child of part.children) {
    if (!('attribs' in child)) continue;
    const element = toElement(page, child, depth + 1);
    if (!element) return undefined;
    children.push(element);
  }
  return {
    name: part.name,
    attributes: { ...part.attribs },
    children,
    text: ownText(part.children).trim(),
    inner: () => page.xml(part.children),
  };
}

/** CDATA sections are parts of their own with a text in them. */
function ownText(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      if (part.nodeType === TEXT_NODE && 'data' in part) return part.data;
      return part.nodeType === CDATA_NODE && 'children' in part ? ownText(part.children) : '';
    })
    .join('');
}

/** An element as JSON: its text when it has nothing else; attributes with `@`, text as `#text`, repeated elements as a list. */
export function jsonOfXml({ attributes, children, text }: XmlElement): Json {
  if (children.length === 0 && Object.keys(attributes).length === 0) return text;
  const object: JsonObject = {};
  for (const [name, value] of Object.entries(attributes)) object[`@${name}`] = value;
  const seen = new Set<string>();
  for (const child of children) {
    const { name } = child;
    if (isBlockedKey(name)) continue;
    const value = jsonOfXml(child);
    const former = object[name];
    if (!seen.has(name)) object[name] = value;
    else if (Array.isArray(former)) former.push(value);
    else object[name] = [former ?? '', value];
    seen.add(name);
  }
  if (text !== '') object['#text'] = text;
  return object;
}
