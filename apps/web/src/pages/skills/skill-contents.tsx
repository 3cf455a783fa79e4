import type { LibraryFile } from '@millrace/contracts';
import { packageLines } from '@millrace/nodes/requirements';
import { isScript, REQUIREMENTS_FILE, SKILL_FILE } from '@millrace/nodes/skill-path';
import type { ReactNode } from 'react';
import { useLocale } from 'use-intl';
import { baseSize, isBinary } from '../../features/skill/skill-row-files.ts';
import { byteText } from '../../ui/display/byte-text.ts';
import { CodeBlock } from '../../ui/display/code-block.tsx';
import { FoldedFile } from './folded-file.tsx';
import { useLibraryTexts } from './texts/use-library-texts.ts';
import type { SkillContent } from './versions/version-changes.ts';

const measureFile = (file: LibraryFile): number =>
  isBinary(file) ? baseSize(file.content) : new Blob([file.content]).size;

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-2">
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}

interface SkillContentsProps {
  of: SkillContent & { readonly size_bytes: number };
  /** Absent where it is said elsewhere. */
  version?: number;
}

/** The contents of a version of a skill, to be read and not changed. */
export function SkillContents({ of, version }: SkillContentsProps) {
  const t = useLibraryTexts();
  const locale = useLocale();
  const { content, files, timeout_seconds, size_bytes } = of;
  const packages = files
    .filter((file) => file.path === REQUIREMENTS_FILE && !isBinary(file))
    .flatMap((file) => packageLines(file.content));
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        {version === undefined ? null : <Fact name={t('version')}>{version}</Fact>}
        <Fact name={t('size')}>{byteText(size_bytes, locale)}</Fact>
        {files.some(({ path }) => isScript(path)) ? <Fact name={t('timeout')}>{timeout_seconds}</Fact> : null}
        {packages.length > 0 ? <Fact name={t('packages')}>{packages.join(', ')}</Fact> : null}
      </dl>
      {content.trim() === '' ? (
        <p className="text-sm text-faint">{t('no_text')}</p>
      ) : (
        <CodeBlock wrap caption={SKILL_FILE} label={t('text_of', { path: SKILL_FILE })} code={content} />
      )}
      {files.length === 0 ? (
        <p className="text-sm text-faint">{t('no_files')}</p>
      ) : (
        <ul aria-label={t('files')} className="flex flex-col gap-1.5">
          {files.map((file) => (
            <ShownFile key={file.path} file={file} />
          ))}
        </ul>
      )}
    </div>
  );
}

function ShownFile({ file }: { file: LibraryFile }) {
  const t = useLibraryTexts();
  const locale = useLocale();
  const size = byteText(measureFile(file), locale);
  const aside = (
    <span className="shrink-0 text-sm text-faint">{isBinary(file) ? t('binary', { size }) : size}</span>
  );
  return (
    <FoldedFile path={file.path} aside={aside}>
      {isBinary(file) || file.content === '' ? null : (
        <CodeBlock label={t('text_of', { path: file.path })} code={file.content} />
      )}
    </FoldedFile>
  );
}
