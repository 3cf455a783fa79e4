import { clsx } from 'clsx';
import { useMemo } from 'react';
import { useLibraryTexts } from '../texts/use-library-texts.ts';
import { type DiffLine, lineDiff, shortened } from './line-diff.ts';

interface TextDiffProps {
  before: string;
  after: string;
  /** Accessible name of the scrolling area. */
  label: string;
}

const SIGNS = { same: ' ', removed: '−', added: '+' };
const TAGS = { same: 'span', removed: 'del', added: 'ins' } as const;
const LOOKS = {
  same: '',
  removed: 'bg-danger-tint text-danger',
  added: 'bg-success-tint text-success',
};

function Line({ kind, text }: DiffLine) {
  const Tag = TAGS[kind];
  return (
    <Tag className={clsx('flex gap-2 px-3 no-underline', LOOKS[kind])}>
      <span className="shrink-0 whitespace-pre">{SIGNS[kind]}</span>
      <span className="min-w-0 break-words whitespace-pre-wrap">{text}</span>
    </Tag>
  );
}

/** Two texts line by line, without most of what is the same. */
export function TextDiff({ before, after, label }: TextDiffProps) {
  const t = useLibraryTexts();
  const lines = useMemo(() => shortened(lineDiff(before, after)), [before, after]);
  return (
    <div
      role="region"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-m border border-line bg-sunken py-2 font-mono text-sm"
    >
      {lines.map((line, at) =>
        line.kind === 'skipped' ? (
          <p key={at} className="px-3 py-0.5 font-sans text-faint">
            {t('lines_same', { count: line.count })}
          </p>
        ) : (
          <Line key={at} {...line} />
        ),
      )}
    </div>
  );
}
