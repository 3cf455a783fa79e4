import { Download } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { filesIn } from './files-in.ts';

interface OutputFilesProps {
  value: unknown;
  /** A picture that is shown elsewhere on the page. */
  shown?: string | undefined;
}

/** The files and pictures in an output: pictures to see, everything to save. */
export function OutputFiles({ value, shown }: OutputFilesProps) {
  const t = useTranslations('ui');
  const files = filesIn(value, location.href, shown);
  if (files.length === 0) return null;
  return (
    <ul aria-label={t('output_files')} className="flex shrink-0 flex-wrap gap-3 border-b border-line p-3.5">
      {files.map(({ name, href, isImage }) => (
        <li key={href} className="flex min-w-0 max-w-full flex-col gap-1">
          {isImage ? (
            <img src={href} alt="" className="max-h-56 max-w-full rounded-m border border-line" />
          ) : null}
          <a
            href={href}
            download={name}
            className="inline-flex min-w-0 items-center gap-1.5 text-sm text-accent-text hover:underline [&>svg]:size-4 [&>svg]:shrink-0"
          >
            <Download aria-hidden />
            <span className="truncate">{name}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
