import { isJsonObject } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import { readInlineFile } from '../kit/files/inline-file.ts';
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
  const file = readInlineFile(item);
  if ('problem' in file) throw wrong(`${place} ${file.problem}`);
  const { filename, content, mime_type } = file;
  return { filename, content, ...(mime_type === '' ? {} : { contentType: mime_type }) };
}

function wrong(words: string) {
  return refusedParam('attachments', words);
}
