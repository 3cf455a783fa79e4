import type { JsonObject } from '@millrace/engine';
import { isScript } from '@millrace/nodes/skill-path';
import { FileCode, FilePlus, Trash2, Upload } from 'lucide-react';
import { useLocale } from 'use-intl';
import { toDataUrl } from '../../lib/files/data-url.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { byteText } from '../../ui/display/byte-text.ts';
import { FileDrop, pickFiles } from '../../ui/forms/file-drop.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import {
  baseSize,
  isBinary,
  MAX_UPLOAD_BYTES,
  newScript,
  type SkillRowFile,
  skillFile,
  uploadedFile,
} from './skill-row-files.ts';
import { useSkillTexts } from './texts/use-skill-texts.ts';

interface SkillFilesProps {
  /** Number of the skill in its list, from 1. */
  row: number;
  files: readonly SkillRowFile[];
  onChange: (files: SkillRowFile[]) => void;
  onBlur: () => void;
}

/** The files of a skill: texts can be edited, others replaced; the first script is offered as a starting point. */
export function SkillFiles({ row, files, onChange, onBlur }: SkillFilesProps) {
  const t = useSkillTexts();
  const add = (file: SkillRowFile) => onChange([...files, file]);
  const upload = async (chosen: readonly File[]) => {
    const large = chosen.find(({ size }) => size > MAX_UPLOAD_BYTES);
    if (large) toast.failed(t('too_large', { name: large.name, megabytes: MAX_UPLOAD_BYTES / 1e6 }));
    const read = chosen
      .filter(({ size }) => size <= MAX_UPLOAD_BYTES)
      .map(async (file) => uploadedFile(file.name, await toDataUrl(file)));
    const added = await Promise.all(read);
    const taken = new Set(added.map(({ path }) => path));
    if (added.length > 0) onChange([...files.filter(({ path }) => !taken.has(path)), ...added]);
    onBlur();
  };
  const hasScript = files.some(({ path }) => isScript(path));
  return (
    <FileDrop onFiles={(dropped) => void upload(dropped)} invitation={t('drop')}>
      <ul aria-label={t('files_of', { row })} className="flex flex-col gap-2">
        {files.map((file, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a file has no identity but its place while its path is typed
          <li key={at}>
            <SkillFile
              names={{ row, file: at + 1 }}
              file={file}
              onChange={(next) => onChange(files.map((one, place) => (place === at ? next : one)))}
              onRemove={() => onChange(files.filter((_, place) => place !== at))}
              onBlur={onBlur}
            />
          </li>
        ))}
      </ul>
      <div className="mt-1.5 flex flex-wrap gap-1.5">
        {hasScript ? null : (
          <Button size="small" tone="quiet" onClick={() => add(newScript())}>
            <FileCode aria-hidden />
            {t('add_script')}
          </Button>
        )}
        <Button size="small" tone="quiet" onClick={() => add(skillFile('', ''))}>
          <FilePlus aria-hidden />
          {t('add_file')}
        </Button>
        <Button size="small" tone="quiet" onClick={() => void pickFiles({}).then(upload)}>
          <Upload aria-hidden />
          {t('upload')}
        </Button>
      </div>
    </FileDrop>
  );
}

interface SkillFileProps {
  names: { row: number; file: number };
  file: SkillRowFile;
  onChange: (file: SkillRowFile) => void;
  onRemove: () => void;
  onBlur: () => void;
}

function SkillFile({ names, file, onChange, onRemove, onBlur }: SkillFileProps) {
  const t = useSkillTexts();
  const locale = useLocale();
  const change = (more: JsonObject) => onChange({ ...file, ...more });
  return (
    <div className="flex flex-col gap-1.5 rounded-m border border-line p-2">
      <div className="flex items-center gap-1.5">
        <Input
          mono
          spellCheck={false}
          aria-label={t('path_of', names)}
          placeholder={t('path')}
          value={file.path}
          onChange={(event) => change({ path: event.target.value })}
          onBlur={onBlur}
        />
        <IconButton label={t('remove_file', names)} icon={<Trash2 />} onClick={onRemove} />
      </div>
      {isBinary(file) ? (
        <p className="text-sm text-faint">
          {t('binary', { size: byteText(baseSize(file.content), locale) })}
        </p>
      ) : (
        <TextArea
          mono
          spellCheck={false}
          rows={8}
          aria-label={t('file_text_of', names)}
          placeholder={t('file_text')}
          value={file.content}
          onChange={(event) => change({ content: event.target.value })}
          onBlur={onBlur}
        />
      )}
    </div>
  );
}
