import type { PortalInfo } from '@millrace/contracts';
import { useState } from 'preact/hooks';
import { byteText } from '../../ui/display/byte-text.ts';
import { fieldFor, isTextOnly, readFile, type UploadField, uploadFields } from '../conversation/attach.ts';
import { kindOf, type Typed } from '../conversation/fields.ts';
import { locale, t } from '../texts.ts';

interface Kept {
  readonly name: string;
  /** Share that is read, 0 to 1; undefined when all of it is. */
  readonly read?: number | undefined;
}

interface FilesOptions {
  info: PortalInfo;
  typed: Typed;
  change: (update: (before: Typed) => Typed) => void;
  onProblem: (text: string) => void;
}

/** Files that are chosen, dropped or pasted: each goes to a field that takes it. */
export function useFiles({ info, typed, change, onProblem }: FilesOptions) {
  const [kept, setKept] = useState<Readonly<Record<string, Kept>>>({});
  const uploads = uploadFields(info, info.input_fields);
  const keep = (key: string, file: Kept | undefined) =>
    setKept((before) => {
      const { [key]: _, ...others } = before;
      return file ? { ...others, [key]: file } : others;
    });
  const refuse = (problem: 'attach_wrong_type' | 'attach_too_big', { name }: File, upload?: UploadField) => {
    const isType = problem === 'attach_wrong_type' && !isTextOnly(uploads);
    const size = byteText(upload?.rule.max_bytes ?? 0, locale);
    onProblem(t(isType ? 'attach_not_taken' : problem, { name, size }));
  };
  const take = async (file: File, wanted?: UploadField) => {
    const upload = wanted ?? fieldFor(uploads, typed, file);
    if (!upload) return refuse('attach_wrong_type', file);
    const { key } = upload.field;
    const isFile = kindOf(upload.field) === 'file';
    const { name } = file;
    if (isFile) keep(key, { name, read: 0 });
    const attached = await readFile(file, upload, (read) => isFile && keep(key, { name, read }));
    if ('problem' in attached) {
      if (isFile) keep(key, undefined);
      return refuse(attached.problem, file, upload);
    }
    onProblem('');
    if (isFile) keep(key, { name });
    change((before) => ({
      ...before,
      [key]: isFile ? attached.value : [before[key], attached.value].filter(Boolean).join('\n\n'),
    }));
  };
  return {
    uploads,
    take,
    isReading: Object.values(kept).some(({ read }) => read !== undefined),
    nameOf: (key: string) => kept[key]?.name,
    readOf: (key: string) => kept[key]?.read,
    remove(key: string) {
      keep(key, undefined);
      change((before) => ({ ...before, [key]: '' }));
    },
    forget: () => setKept({}),
  };
}
export type Files = ReturnType<typeof useFiles>;
