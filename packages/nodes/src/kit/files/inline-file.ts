import type { JsonObject } from '@millrace/engine';
import { decodedBase64 } from './base64.ts';

/** A file by value, as nodes hand it on. */
export interface InlineFile {
  readonly filename: string;
  readonly content: Buffer;
  /** Empty when the value names none. */
  readonly mime_type: string;
}

/** The file in `{filename, content_base64}`, or `content` for text, with an optional `mime_type`; else what is wrong with it. */
export function readInlineFile(value: JsonObject): InlineFile | { readonly problem: string } {
  const { filename, content_base64, content } = value;
  if (typeof filename !== 'string' || filename.trim() === '') return { problem: 'lacks a filename' };
  const mime_type = typeof value['mime_type'] === 'string' ? value['mime_type'] : '';
  if (typeof content_base64 === 'string') {
    const bytes = decodedBase64(content_base64);
    return bytes
      ? { filename, mime_type, content: bytes }
      : { problem: 'has a content_base64 that is not base64' };
  }
  if (typeof content === 'string') return { filename, mime_type, content: Buffer.from(content, 'utf8') };
  return { problem: 'lacks content_base64' };
}
