import { type PortalField, takesType, type UploadRule, uploadRule } from '@millrace/contracts/portal-input';
import { getFieldKind } from './fields.ts';
import { SMALLER_TYPE, smaller } from './smaller-picture.ts';

/** Endings of text files whose type browsers do not know. */
const TEXT_FILES = /\.(txt|md|markdown|csv|tsv|json|jsonl|xml|ya?ml|html?|log|ini|toml|sql|srt|vtt)$/i;

const isText = ({ type, name }: File): boolean =>
  type.startsWith('text/') || type === 'application/json' || TEXT_FILES.test(name);
const getMediaType = (file: File): string =>
  isText(file) ? 'text/plain' : file.type || 'application/octet-stream';

/** A field that takes files. */
export interface UploadField {
  readonly field: PortalField;
  readonly rule: UploadRule;
}

type Uploads = Parameters<typeof uploadRule>[0];

export const uploadFields = (uploads: Uploads, fields: readonly PortalField[]): UploadField[] =>
  fields.flatMap((field) => {
    const rule = uploadRule(uploads, field);
    return rule ? [{ field, rule }] : [];
  });

/** Nothing but texts is taken anywhere. */
export const isTextOnly = (uploads: readonly UploadField[]): boolean =>
  uploads.every(({ rule }) =>
    rule.allowed_types.every((type) => type === 'text' || type.startsWith('text/')),
  );

/** A field of text takes the text of files and nothing else. */
const fits = ({ field, rule }: UploadField, file: File): boolean =>
  (takesType(rule, getMediaType(file)) || (isText(file) && takesType(rule, file.type))) &&
  (getFieldKind(field) === 'file' || isText(file));

export interface Placed {
  readonly file: File;
  /** Undefined where no field takes the file. */
  readonly upload: UploadField | undefined;
}

/**
 * Where dropped or pasted files go: each to the first field for files that takes it and is empty, else to one that takes it.
 *
 * @param filled keys of fields for files that have one
 */
export function place(
  uploads: readonly UploadField[],
  filled: readonly string[],
  files: readonly File[],
): Placed[] {
  const taken = new Set(filled);
  return files.map((file) => {
    const fitting = uploads.filter((upload) => fits(upload, file));
    const isFree = ({ field }: UploadField) => getFieldKind(field) === 'file' && !taken.has(field.key);
    const upload =
      fitting.find(isFree) ?? fitting.find(({ field }) => getFieldKind(field) === 'text') ?? fitting.at(0);
    if (upload) taken.add(upload.field.key);
    return { file, upload };
  });
}

export type AttachProblem = 'attach_wrong_type' | 'attach_too_big' | 'attach_unreadable';

export type Attached = { readonly value: string } | { readonly problem: AttachProblem };

/** Reads with progress, which matters on phones and for files in a cloud. */
async function read(file: Blob, as: 'text' | 'data_url', onRead: (share: number) => void): Promise<string> {
  const reader = new FileReader();
  const loaded = new Promise<string | ArrayBuffer>((resolve, reject) => {
    reader.addEventListener('progress', (event) =>
      onRead(event.total === 0 ? 1 : event.loaded / event.total),
    );
    reader.addEventListener('load', () => resolve(reader.result ?? ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('the file cannot be read')));
  });
  if (as === 'text') reader.readAsArrayBuffer(file);
  else reader.readAsDataURL(file);
  const content = await loaded;
  return typeof content === 'string' ? content : new TextDecoder('utf-8', { fatal: true }).decode(content);
}

const smallerFor = async ({ rule }: UploadField, file: File): Promise<Blob | undefined> =>
  takesType(rule, SMALLER_TYPE) ? smaller(file, rule.max_bytes) : undefined;

/** Reads a file as the value of its field: its text, or a data URL. Pictures that are too large are made smaller. */
export async function readFile(
  file: File,
  upload: UploadField,
  onRead: (share: number) => void,
): Promise<Attached> {
  if (!fits(upload, file)) return { problem: 'attach_wrong_type' };
  const taken = file.size > upload.rule.max_bytes ? await smallerFor(upload, file) : file;
  if (!taken) return { problem: 'attach_too_big' };
  try {
    const value = await read(taken, isText(file) ? 'text' : 'data_url', onRead);
    return { value };
  } catch (error) {
    // A `TypeError` means that a file which is called a text has other bytes; any other error, that the device does not
    // give the file.
    return { problem: error instanceof TypeError ? 'attach_wrong_type' : 'attach_unreadable' };
  }
}

/** For the dialog of the browser. */
export const toAcceptAttribute = ({ rule }: UploadField): string | undefined => {
  const types = rule.allowed_types.map((type) => ACCEPTED[type] ?? type);
  return types.includes('*') || types.includes('*/*') ? undefined : types.join(',');
};
const ACCEPTED: Readonly<Record<string, string>> = {
  text: 'text/*,.txt,.md,.csv,.tsv,.json,.jsonl,.xml,.yaml,.yml,.log,.sql',
  image: 'image/*',
  pdf: 'application/pdf',
  any: '*',
};
