import type { Json } from '@millrace/engine';
import { isJsonObject, printValue } from '@millrace/engine/json';
import { parseFile } from './portal-input.ts';

/** A value of a question as a person reads it; a file by its type, for its letters are of no use to a reader. */
export function valueText(value: Json): string {
  const file = parseFile(value);
  if (file) return `[${file.media_type}]`;
  return printValue(value);
}

/** The inputs of a message as one text: the only value, or one line for each field. */
export function questionText(inputs: Readonly<Record<string, Json>>): string {
  const entries = Object.entries(inputs);
  const [only, ...others] = entries;
  if (only && others.length === 0) return valueText(only[1]);
  return entries.map(([key, value]) => `${key}: ${valueText(value)}`).join('\n');
}

const PICTURE = /^data:image\/(png|jpeg|gif|webp|avif|bmp);base64,[\w+/=]+$/i;

/** Whether a text is nothing but a picture of a kind that browsers show. */
export const isPicture = (text: string): boolean => PICTURE.test(text);

const EMBEDDED_PICTURE = /!\[([^\]]*)\]\(data:[^)]*\)/g;

/** A Markdown text without its embedded pictures, which are megabytes of letters that no reader of a text needs. */
export const withoutPictures = (text: string): string =>
  text.replace(EMBEDDED_PICTURE, (_, alt: string) => `[${alt || 'image'}]`);

/** Fields in which nodes of models, outputs and mappers keep what a person reads, the usual one first. */
const TEXT_FIELDS = ['result', 'text', 'message', 'answer', 'output', 'content', 'response', 'reply'];

const code = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

function readable(record: Record<string, unknown>): string | undefined {
  const field = TEXT_FIELDS.find((name) => typeof record[name] === 'string' && record[name] !== '');
  return field === undefined ? undefined : toText(record[field]);
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return isPicture(value) ? `![](${value})` : value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (!isJsonObject(value)) return Array.isArray(value) && value.length === 0 ? '' : code(value);
  if (Object.keys(value).length === 0) return '';
  const text = readable(value);
  if (text !== undefined) return text;
  // A generated image, with details that visitors do not need.
  const { image } = value;
  if (typeof image === 'string' && isPicture(image)) return toText(image);
  // An Output node wraps its value.
  const [only, ...others] = Object.entries(value);
  if (only && others.length === 0 && TEXT_FIELDS.includes(only[0])) return toText(only[1]);
  return code(value);
}

/**
 * The text that a visitor reads of the outputs of a run, as Markdown: the text of the only output, or each output under
 * the label of its node. Values without a text are shown as JSON.
 */
export function answerText(outputs: unknown): string {
  if (!isJsonObject(outputs)) return toText(outputs);
  // A sole JSON mapper answers with its own object instead of labels (§2.3).
  const mapped = readable(outputs);
  if (mapped !== undefined) return mapped;
  const parts = Object.entries(outputs).flatMap(([label, value]) => {
    const text = toText(value);
    return text === '' ? [] : [{ label, text }];
  });
  const [first, ...others] = parts;
  if (!first) return '';
  return others.length === 0
    ? first.text
    : parts.map(({ label, text }) => `**${label}**\n\n${text}`).join('\n\n');
}
