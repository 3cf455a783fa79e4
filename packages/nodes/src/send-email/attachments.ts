import { isJsonObject } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import { decodedBase64 } from '../kit/files/base64.ts';
import { refusedParam } from '../kit/refused-param.ts';

export interface Attachment {
  readonly filename: string;
  readonly content: Buffer;
  readonly contentType?: string;
}

/** The size that most mail servers accept at all, before its encoding adds a third. */
const MAX_BYTES = 25 * MEGABYTE;

/** Attachments by value: one or a list of `{filename, content_base64}`, or `content` for text, with an optional `mime_type`. */
export function parseAttachments(value: unknown): Attachment[] {
  if (value === undefined || value === null || value === '') return [];
  const attachments = (Array.isArray(value) ? value : [value]).map(parseAttachment);
  const bytes = attachments.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes <= MAX_BYTES) return attachments;
  throw wrong(`are larger than ${MAX_BYTES / 1024 / 1024} MB together; send a link instead`);
}

function parseAttachment(item: unknown, index: number): Attachment {
  const place = `entry ${index + 1}`;
  if (!isJsonObject(item)) {
    throw wrong(`${place} must be {filename, content_base64}; stored files are not attached by their id yet`);
  }
  const { filename, content_base64, content, mime_type } = item;
  if (typeof filename !== 'string' || filename.trim() === '') throw wrong(`${place} lacks a filename`);
  const type = typeof mime_type === 'string' && mime_type !== '' ? { contentType: mime_type } : {};
  if (typeof content_base64 === 'string')
    return { filename, content: decoded(content_base64, place), ...type };
  if (typeof content === 'string') return { filename, content: Buffer.from(content, 'utf8'), ...type };
  throw wrong(`${place} lacks content_base64`);
}

function decoded(text: string, place: string): Buffer {
  const bytes = decodedBase64(text);
  if (bytes) return bytes;
  throw wrong(`${place}: content_base64 is not base64`);
}

function wrong(words: string) {
  return refusedParam('attachments', words);
}
