import type { PortalInfo } from '@millrace/contracts';
import { useRef, useState } from 'preact/hooks';
import { byteText } from '../../../ui/display/byte-text.ts';
import {
  type AttachProblem,
  isTextOnly,
  type Placed,
  place,
  readFile,
  type UploadField,
  uploadFields,
} from '../../conversation/attach.ts';
import { getFieldKind, type Typed } from '../../conversation/fields.ts';
import { locale, t } from '../../texts.ts';

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
  /** By field the file that is being read for it; one that was removed or replaced meanwhile is no longer here. */
  const awaitedRef = useRef(new Map<string, File>());
  const uploads = uploadFields(info, info.input_fields);
  const keep = (key: string, file: Kept | undefined) =>
    setKept((before) => {
      const { [key]: _, ...others } = before;
      return file ? { ...others, [key]: file } : others;
    });
  const refuse = (problem: AttachProblem, { name }: File, upload?: UploadField) => {
    const isType = problem === 'attach_wrong_type' && !isTextOnly(uploads);
    const size = byteText(upload?.rule.max_bytes ?? 0, locale);
    onProblem(t(isType ? 'attach_not_taken' : problem, { name, size }));
  };
  const read = async ({ file, upload }: Placed) => {
    if (!upload) return refuse('attach_wrong_type', file);
    const { key } = upload.field;
    const { name } = file;
    const isFile = getFieldKind(upload.field) === 'file';
    // A field of text keeps what it has and takes each file.
    const isAwaited = () => !isFile || awaitedRef.current.get(key) === file;
    if (isFile) awaitedRef.current.set(key, file);
    keep(key, { name, read: 0 });
    const attached = await readFile(file, upload, (share) => isAwaited() && keep(key, { name, read: share }));
    if (!isAwaited()) return;
    awaitedRef.current.delete(key);
    keep(key, isFile && 'value' in attached ? { name } : undefined);
    if ('problem' in attached) return refuse(attached.problem, file, upload);
    change((before) => ({
      ...before,
      [key]: isFile ? attached.value : [before[key], attached.value].filter(Boolean).join('\n\n'),
    }));
  };
  return {
    uploads,
    async take(files: readonly File[], wanted?: UploadField) {
      onProblem('');
      const filled = uploads.flatMap(({ field: { key } }) => (typed[key] || kept[key] ? [key] : []));
      const placed = wanted
        ? files.map((file): Placed => ({ file, upload: wanted }))
        : place(uploads, filled, files);
      for (const one of placed) await read(one);
    },
    isReading: Object.values(kept).some((file) => file.read !== undefined),
    getName: (key: string) => kept[key]?.name,
    getProgress: (key: string) => kept[key]?.read,
    remove(key: string) {
      awaitedRef.current.delete(key);
      keep(key, undefined);
      change((before) => ({ ...before, [key]: '' }));
    },
    forget: () => setKept({}),
  };
}
export type Files = ReturnType<typeof useFiles>;
