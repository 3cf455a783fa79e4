import { isJsonObject, type Json } from '@millrace/engine';

/** Characters of the JSON text that a trace keeps of a request, and of a response. */
export const MAX_BODY_CHARACTERS = 200_000;

/**
 * Cuts that are tried one after the other until the text is short enough: longest texts, most entries of a list from
 * each end.
 */
const CUTS = [
  { text: 20_000, entries: 1_000 },
  { text: 2_000, entries: 100 },
  { text: 200, entries: 20 },
  { text: 100, entries: 4 },
] as const;

const DATA_URL = /^data:([a-z0-9.+/-]{1,100});base64,/i;

export interface TraceBody {
  readonly value: Json;
  /** Some of it is left out. */
  readonly is_cut: boolean;
}

/**
 * Returns the part of a request or a response that a trace keeps: images give way to their type and size, secrets are
 * hidden, and only then is anything cut, for half a secret would not be found.
 *
 * @param body JSON data; a function or undefined in it is left out
 */
export function traceBody(body: unknown, mask: <T>(value: T) => T): TraceBody {
  const images = { count: 0 };
  const masked = mask(withoutImages(body, images));
  const text = JSON.stringify(masked) ?? 'null';
  if (text.length <= MAX_BODY_CHARACTERS) {
    return { value: JSON.parse(text) as Json, is_cut: images.count > 0 };
  }
  for (const cut of CUTS) {
    const value = shortened(masked as Json, cut);
    if (JSON.stringify(value).length <= MAX_BODY_CHARACTERS) return { value, is_cut: true };
  }
  return { value: `${text.slice(0, MAX_BODY_CHARACTERS / 2)}…`, is_cut: true };
}

/** The same with `[image/png, 12345 bytes]` in place of each image. */
function withoutImages(value: unknown, images: { count: number }): unknown {
  if (typeof value === 'string') {
    const [start = '', type = ''] = value.startsWith('data:')
      ? (DATA_URL.exec(value.slice(0, 200)) ?? [])
      : [];
    if (start === '') return value;
    images.count += 1;
    return `[${type}, ${Math.floor(((value.length - start.length) * 3) / 4)} bytes]`;
  }
  if (Array.isArray(value)) return value.map((entry) => withoutImages(entry, images));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withoutImages(entry, images)]));
}

function shortened(value: Json, cut: { readonly text: number; readonly entries: number }): Json {
  if (typeof value === 'string') {
    return value.length > cut.text
      ? `${value.slice(0, cut.text)}… (${value.length - cut.text} more characters)`
      : value;
  }
  if (Array.isArray(value)) {
    const left_out = value.length - 2 * cut.entries;
    const kept: Json[] =
      left_out > 0
        ? [...value.slice(0, cut.entries), `… (${left_out} more entries)`, ...value.slice(-cut.entries)]
        : value;
    return kept.map((entry) => shortened(entry, cut));
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, shortened(entry, cut)]));
}
