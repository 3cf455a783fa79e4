import type { Json } from '@millrace/engine';
import type { EgressResponse } from '../../services.ts';
import { readBytes } from '../files/read-bytes.ts';
import { jsonOrText } from '../text/parsed-json.ts';

export interface ResponseBody {
  /** Parsed JSON, else text, else base64. */
  body: Json;
  body_encoding?: 'base64';
}

const BINARY_TYPE =
  /^(image\/(?!svg)|audio\/|video\/|font\/|application\/(octet-stream|pdf|zip|gzip|x-tar|wasm))/i;

/** The bytes of an answer, read to its end. */
export async function readAsBase64({ body }: EgressResponse): Promise<ResponseBody> {
  return { body: (await readBytes(body)).toString('base64'), body_encoding: 'base64' };
}

/** Reads an answer to its end. */
export async function readBody(response: EgressResponse): Promise<ResponseBody> {
  const bytes = await readBytes(response.body);
  const type = response.headers['content-type'] ?? '';
  const body = decodeBody(bytes, type);
  return body === undefined ? { body: bytes.toString('base64'), body_encoding: 'base64' } : { body };
}

/** Undefined when the bytes are no text of their charset; RFC 9110 section 8.3.2. */
function decode(bytes: Buffer, type: string): string | undefined {
  const charset = /charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] ?? 'utf-8';
  const text = tryDecode(bytes, charset) ?? tryDecode(bytes, 'utf-8');
  return text?.includes('\0') ? undefined : text;
}

function tryDecode(bytes: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Undefined when the bytes are no text by their type or by their charset. */
export const textOfBytes = (bytes: Buffer, type: string): string | undefined =>
  BINARY_TYPE.test(type) ? undefined : decode(bytes, type);

/** Bytes of a text or JSON; undefined when they are neither. */
export function decodeBody(bytes: Buffer, type: string): Json | undefined {
  const text = textOfBytes(bytes, type);
  return text === undefined ? undefined : jsonOrText(text);
}
