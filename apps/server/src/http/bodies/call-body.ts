import { isUtf8 } from 'node:buffer';
import { type Json, parseExactJson } from '@millrace/engine';
import { AppError } from '../../core/app-error.ts';
import { refuseBody, requireParsable, requireSafeJson } from '../../core/documents/json-limits.ts';

type Kind = 'json' | 'form' | 'text' | 'unknown';

function detectKind(contentType: string | undefined): Kind {
  if (contentType === undefined || contentType === '') return 'unknown';
  // The common spelling first: this is the hot path.
  if (contentType === 'application/json') return 'json';
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  if (type === 'application/json' || type.endsWith('+json') || type === 'text/json') return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type.startsWith('multipart/'))
    throw new AppError(
      'unsupported_media_type',
      'Send JSON, a form (application/x-www-form-urlencoded) or text',
    );
  return 'text';
}

function parseJson(text: string): Json {
  try {
    return parseExactJson(text) as Json;
  } catch {
    throw new AppError('invalid_input', 'The body is not valid JSON', {
      detail: [
        {
          loc: ['body'],
          msg: 'is not valid JSON; check quotes, commas and brackets, or send another Content-Type',
          type: 'json_invalid',
        },
      ],
    });
  }
}

function tryJson(text: string): Json | undefined {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return undefined;
  try {
    return parseExactJson(text) as Json;
  } catch {
    return undefined;
  }
}

const PERCENT = 0x25;

/** Values of the digits of base 16 by their code; -1 for all other characters. */
const HEX_VALUES = Int8Array.from({ length: 256 }, (_, code) =>
  /[0-9a-f]/i.test(String.fromCharCode(code)) ? Number.parseInt(String.fromCharCode(code), 16) : -1,
);

/** The bytes that a form stands for, in place of those that write them with `%`. A form may have 100 MB, so no text is made. */
function decodeEscapes(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  let end = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const high = bytes[at] === PERCENT ? (HEX_VALUES[bytes[at + 1] ?? 0] ?? -1) : -1;
    const low = high < 0 ? -1 : (HEX_VALUES[bytes[at + 2] ?? 0] ?? -1);
    bytes[end] = low < 0 ? (bytes[at] as number) : high * 16 + low;
    if (low >= 0) at += 2;
    end += 1;
  }
  return bytes.subarray(0, end);
}

/** Fields of a form; a field that occurs more than once becomes a list. */
function parseForm(text: string): Json {
  if (/%[89a-f]/i.test(text) && !isUtf8(decodeEscapes(text)))
    throw refuseBody(
      ['body'],
      'has a character that is not valid UTF-8; encode the form as UTF-8',
      'encoding_invalid',
    );
  const fields = new Map<string, Json>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields.get(name);
    if (before === undefined) fields.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else fields.set(name, [before, value]);
  }
  const form = Object.create(null) as Record<string, Json>;
  for (const [name, value] of fields) form[name] = value;
  return form;
}

function parseText(text: string, kind: Kind): Json {
  switch (kind) {
    case 'json':
      return parseJson(text);
    case 'form':
      // `curl -d '{...}'` sends JSON like this when its user forgets the content type.
      return tryJson(text) ?? parseForm(text);
    case 'unknown':
      return tryJson(text) ?? text;
    case 'text':
      return text;
    default:
      return kind satisfies never;
  }
}

/**
 * Body of an execute call as data: JSON by its type, forms as an object, anything else as text, nothing as `{}`.
 * Broken JSON under a JSON type is refused instead of running the workflow with an unintended input.
 */
export function parseBody(bytes: Uint8Array | undefined, contentType: string | undefined): Json {
  if (bytes === undefined || bytes.length === 0) return {};
  const kind = detectKind(contentType);
  if (!isUtf8(bytes)) throw refuseBody(['body'], 'is not valid UTF-8 text', 'encoding_invalid');
  if (kind !== 'text') requireParsable(bytes);
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
  const text = buffer.toString('utf8', bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0);
  if (kind !== 'text' && text.trim() === '') return {};
  const body = parseText(text, kind);
  requireSafeJson(body, 'body');
  return body;
}
