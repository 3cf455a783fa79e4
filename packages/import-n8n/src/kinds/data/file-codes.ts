import { type Json, readText } from '@millrace/engine';
import { access, type Code, chain, other } from '../../expression/value.ts';
import type { View } from '../../views/views.ts';
import { NotConvertible, type Target } from '../kind.ts';

/** A part of a file: its content as text in UTF-8 or as base64, its name or its media type. */
type Form = 'base64' | 'name' | 'text' | 'type';

/** Files of n8n have names beside the data of an item; here they are fields under such keys, which no data has. */
const MARK = '$file ';
const toKey = (name: string, form: Form): string => `${MARK}${form} ${name}`;

/** True for a file, and false for a field of the data. */
export const isFileKey = (key: string): boolean => key.startsWith(MARK);

export interface FileCodes {
  readonly base64: (item: string) => string;
  readonly text: (item: string) => string;
  readonly name: (item: string) => string;
  readonly type: (item: string) => string;
}

/** A part of the view of a node that hands on a file under that name. */
export function viewOfFile(name: string, codes: FileCodes): NonNullable<View['made']> {
  return {
    [toKey(name, 'base64')]: codes.base64,
    [toKey(name, 'text')]: codes.text,
    [toKey(name, 'name')]: codes.name,
    [toKey(name, 'type')]: codes.type,
  };
}

/** The name of a file in n8n, which is `data` where nothing else is set. */
export const fileName = (stored: Json | undefined): string => readText(stored) || 'data';

/** Code of a file that the node before hands on. Throws `NotConvertible` where there is none. */
export function getFileCode(to: Target, stored: string, form: Form): Code {
  // Written as an expression that is only text.
  const name = /^=[^{]*$/.test(stored) ? stored.slice(1) : stored;
  if (name.startsWith('=')) throw new NotConvertible('which file it reads is an expression');
  const code = to.field(toKey(name, form));
  if (code.includes(MARK)) throw new NotConvertible(`no node before it hands on a file "${name}" here`);
  return other(code);
}

/** A file that a request sends: an object with its content, as an expression without its `$`. */
export function fileObject(to: Target, name: string, renamed?: Code): Code {
  const part = (form: Form) => getFileCode(to, name, form).code;
  const filename = renamed?.code ?? part('name');
  const fields = `"filename": ${filename}, "mime_type": ${part('type')}, "content_base64": ${part('base64')}`;
  return chain(`array({${fields}}).first()`);
}

/** Files as attachments of a mail; undefined for none. Says why they are left out where they have no equal. */
export function listAttachments(to: Target, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  try {
    const made = to.made(() => {
      const codes = names.map((name) => {
        const [filename, content] = [getFileCode(to, name, 'name'), getFileCode(to, name, 'base64')];
        return `{"filename": ${filename.code}, "content_base64": ${content.code}}`;
      });
      return other(`[${codes.join(', ')}]`);
    });
    if (made === undefined) to.say('The attachments were left out: they cannot be read here', 'attachments');
    return made;
  } catch (error) {
    if (!(error instanceof NotConvertible)) throw error;
    to.say(`The attachments were left out: ${error.message}`, 'attachments');
    return undefined;
  }
}

/** A file with its content as base64, as nodes here hand it on. */
export const CONTENT: FileCodes = {
  base64: (item) => `${item}.content_base64`,
  text: (item) => `${item}.content_base64.base64Decode()`,
  name: (item) => `${item}.filename`,
  type: (item) => `${item}.mime_type`,
};

/** Types by the end of a file's name, for services that name none. */
const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  m4a: 'audio/mp4',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  pdf: 'application/pdf',
  png: 'image/png',
  tgs: 'application/octet-stream',
  txt: 'text/plain',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'text/xml',
  zip: 'application/zip',
};

/** The answer to a download whose type follows from its name. */
export const DOWNLOAD: FileCodes = {
  base64: (item) => ANSWER.base64(item),
  text: (item) => ANSWER.text(item),
  name: (item) => `${item}.request.url.split("/").last()`,
  type: (item) =>
    `${JSON.stringify(TYPES)}[${item}.request.url.split(".").last().lower()] ?? "application/octet-stream"`,
};

const toAnswerText = (item: string): string =>
  `type(${item}.body) == "string" ? ${item}.body : toJsonText(${item}.body)`;

/** The name in the header `Content-Disposition`, else the last part of the address: the first that a text of both has. */
function nameAnswer(item: string): string {
  const last = `(${item}.request.url.split("?").first().split("/").last() or "file")`;
  const both = `concat(${item}.headers["content-disposition"] or "", "; filename=", ${last})`;
  return String.raw`${both}.regexReplace("^.*?filename=\x22?([^\x22;]+).*$", "\1")`;
}

/** The answer to a request: its body is base64, text, or what JSON stands for. */
export const ANSWER: FileCodes = {
  base64: (item) =>
    `(${item}.body_encoding == "base64" ? ${item}.body : (${toAnswerText(item)}).base64Encode())`,
  text: (item) =>
    `(${item}.body_encoding == "base64" ? ${item}.body.base64Decode() : (${toAnswerText(item)}))`,
  name: nameAnswer,
  type: (item) => `(${item}.headers["content-type"] or "").split(";").first()`,
};

/** The answer for an item that is its body: whether that was base64 is beside it, and in a list it is nowhere. */
export const ANSWERED_BODY: FileCodes = {
  base64: (item) => readAnswer(item, ANSWER.base64),
  text: (item) => readAnswer(item, ANSWER.text),
  name: (item) => readAnswer(item, ANSWER.name),
  type: (item) => readAnswer(item, ANSWER.type),
};

const readAnswer = (item: string, read: (answer: string) => string): string =>
  item.endsWith('.body') ? read(item.slice(0, -'.body'.length)) : access(MARK);
