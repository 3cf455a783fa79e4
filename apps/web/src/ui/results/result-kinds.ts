import { isJsonObject } from '@millrace/engine/json';

export const VIEWS = ['tree', 'table', 'text', 'markdown', 'image'] as const;
export type ResultView = (typeof VIEWS)[number];

const IMAGE = /^data:image\/(png|jpeg|gif|webp|avif|svg\+xml);base64,[A-Za-z0-9+/=\s]+$/;
/** Headings, lists, emphasis, links, tables, fences: at least two of them make a text Markdown. */
const MARKDOWN_SIGNS = [
  /^#{1,6} \S/m,
  /^\s*[-*] \S/m,
  /^\s*\d+\. \S/m,
  /\*\*[^*\n]+\*\*/,
  /\[[^\]\n]+\]\([^)\s]+\)/,
  /^\|.+\|$/m,
  /^```/m,
];

/** Whether a text is a picture by itself: a data address. */
export const isImageAddress = (text: string): boolean => IMAGE.test(text);

/** The picture in a value: a data address, also as the only text among an object's properties. */
export function findImage(value: unknown): string | undefined {
  if (typeof value === 'string') return isImageAddress(value) ? value : undefined;
  if (!isJsonObject(value)) return undefined;
  return Object.values(value).find(
    (item): item is string => typeof item === 'string' && isImageAddress(item),
  );
}

/** The text of a value: itself, or the only property of an object such as `{text: "..."}`. */
export function findText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) return undefined;
  const [only, ...rest] = Object.values(value);
  return rest.length === 0 && typeof only === 'string' ? only : undefined;
}

/** The rows of a value that is a table: a list of objects, or an object that holds nothing but one. */
export function findRows(value: unknown): Record<string, unknown>[] | undefined {
  const list = isJsonObject(value) && Object.keys(value).length === 1 ? Object.values(value)[0] : value;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  return list.every(isJsonObject) ? list : undefined;
}

function looksLikeMarkdown(text: string): boolean {
  return MARKDOWN_SIGNS.filter((sign) => sign.test(text)).length >= 2;
}

/** Views that make sense for a value, the best one first. */
export function viewsFor(value: unknown): ResultView[] {
  const text = findText(value);
  const views: ResultView[] = [];
  if (findImage(value) !== undefined) views.push('image');
  if (text !== undefined && looksLikeMarkdown(text)) views.push('markdown');
  if (typeof value === 'string' && views.length === 0) views.push('text');
  if (typeof value !== 'string') views.push('tree');
  if (findRows(value)) views.push('table');
  if (!views.includes('text')) views.push('text');
  if (text !== undefined && !views.includes('markdown')) views.push('markdown');
  return views;
}

/** Columns of a table: the names that rows have, most frequent first come first served, at most `limit`. */
export function collectColumns(rows: readonly Record<string, unknown>[], limit = 40): string[] {
  const names = new Set<string>();
  for (const row of rows) {
    for (const name of Object.keys(row)) if (names.size < limit) names.add(name);
  }
  return [...names];
}
