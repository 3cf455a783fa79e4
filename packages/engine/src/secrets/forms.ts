import { base64Encode } from '../expression/values/base64.ts';
import { utf8Bytes } from '../expression/values/unicode.ts';

/** Shorter fragments of encoded secrets give too little away and would hit innocent text. */
const LEAST_FRAGMENT = 8;

/** A secret and the ways in which formats write it inside longer texts, without duplicates. */
export function secretForms(secret: string): string[] {
  const forms = new Set([
    secret,
    ...jsonForms(secret),
    ...urlForms(secret),
    ...htmlForms(secret),
    ...base64Forms(secret),
  ]);
  return [...forms].filter((form) => form.length >= LEAST_FRAGMENT);
}

/** Inside a JSON text, and inside a JSON text that is itself a value in one. */
function jsonForms(secret: string): string[] {
  const once = jsonSpellings(secret);
  return [...once, ...once.flatMap(jsonSpellings)];
}

/** Writers may escape any non-ASCII character, in either case, and the slash (RFC 8259 §7). */
function jsonSpellings(text: string): string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const ascii = plain.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const upper = ascii.replace(/\\u[0-9a-f]{4}/g, (escape) => `\\u${escape.slice(2).toUpperCase()}`);
  return [plain, ascii, upper].flatMap((spelling) => [spelling, spelling.replaceAll('/', '\\/')]);
}

function urlForms(secret: string): string[] {
  try {
    const encoded = encodeURIComponent(secret);
    // Stricter encoders also escape what RFC 3986 reserves; forms write spaces as plus.
    const strict = encoded.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
    return [encoded, strict].flatMap((text) => [text, lowerEscapes(text), text.replaceAll('%20', '+')]);
  } catch {
    // A lone surrogate has no UTF-8 form, so no URL can hold it.
    return [];
  }
}

function lowerEscapes(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

function htmlForms(secret: string): string[] {
  const basic = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = basic.replaceAll('"', '&quot;');
  return [basic, quoted, ...['&#39;', '&#x27;', '&apos;'].map((quote) => quoted.replaceAll("'", quote))];
}

/**
 * Base64 groups three bytes, so a secret inside a longer encoded text (`Basic` authorization, for one) has three
 * spellings. Their outermost letters also depend on the neighbours and are left out.
 */
function base64Forms(secret: string): string[] {
  const size = utf8Bytes(secret).length;
  return [0, 1, 2].flatMap((before) => {
    const letters = base64Encode('x'.repeat(before) + secret);
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + size) * 8) / 6);
    const standard = letters.slice(start, end);
    return [standard, standard.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
