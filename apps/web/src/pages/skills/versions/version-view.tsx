import type { SkillVersion } from '@millrace/contracts';
import { SKILL_FILE } from '@millrace/nodes/skill-path';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { useSkillVersion } from '../../../data/skills.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { LoadFailed } from '../../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../../ui/display/skeleton.tsx';
import { Badge, type Tone } from '../../../ui/display/status-chip.tsx';
import { Tabs } from '../../../ui/layout/tabs.tsx';
import { FoldedFile } from '../folded-file.tsx';
import { SkillContents } from '../skill-contents.tsx';
import { useLibraryTexts } from '../texts/use-library-texts.ts';
import { TextDiff } from './text-diff.tsx';
import { changesBetween, type FileChange } from './version-changes.ts';

interface VersionViewProps {
  skill_id: string;
  number: number;
  /** Number of the version that it is compared with. */
  newest: number;
  busy: boolean;
  /** Absent for those who may not. */
  onRestore: (() => void) | undefined;
}

/** The contents of a version; of an old one first what has changed since. */
export function VersionView({ skill_id, number, newest, busy, onRestore }: VersionViewProps) {
  const t = useLibraryTexts();
  const one = useSkillVersion(skill_id, number);
  const current = useSkillVersion(skill_id, newest);
  const [tab, setTab] = useState<'changes' | 'contents'>('changes');
  const failed = [one, current].find((query) => query.isLoadingError);
  if (failed?.error) return <LoadFailed error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!one.data || !current.data) return <SkeletonRows />;
  if (number === newest) return <SkillContents of={one.data} />;
  return (
    <section aria-label={t('version_number', { number })} className="flex min-w-0 flex-col gap-3">
      {onRestore ? (
        <Button className="self-start" tone="primary" busy={busy} onClick={onRestore}>
          <RotateCcw aria-hidden />
          {t('restore', { number })}
        </Button>
      ) : null}
      <Tabs
        label={t('version_number', { number })}
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'changes',
            label: t('changes'),
            content: <Changes before={one.data} after={current.data} />,
          },
          {
            value: 'contents',
            label: t('contents'),
            content: (
              <div className="pt-3">
                <SkillContents of={one.data} />
              </div>
            ),
          },
        ]}
      />
    </section>
  );
}

function Changes({ before, after }: { before: SkillVersion; after: SkillVersion }) {
  const t = useLibraryTexts();
  const changes = changesBetween(before, after);
  const times = { before: before.timeout_seconds, after: after.timeout_seconds };
  const isSameTime = times.before === times.after;
  const isNothing = changes.length === 0 && isSameTime;
  const hint = isNothing ? 'no_changes' : 'changes_hint';
  return (
    <div className="flex flex-col gap-3 pt-3">
      <p className="text-sm text-soft">{t(hint, { number: before.number, newest: after.number })}</p>
      {isSameTime ? null : <p className="text-sm">{t('timeout_changed', times)}</p>}
      {changes.length === 0 ? null : (
        <ul aria-label={t('changes')} className="flex flex-col gap-1.5">
          {changes.map((change) => (
            <ChangedFile key={change.path} {...change} />
          ))}
        </ul>
      )}
    </div>
  );
}

const TONES: Record<FileChange['kind'], Tone> = { added: 'success', changed: 'warning', removed: 'danger' };

function ChangedFile({ path, kind, texts }: FileChange) {
  const t = useLibraryTexts();
  return (
    <FoldedFile
      path={path}
      initiallyOpen={path === SKILL_FILE}
      aside={<Badge tone={TONES[kind]}>{t(`change.${kind}`)}</Badge>}
    >
      {texts ? <TextDiff label={t('changes_of', { path })} {...texts} /> : null}
    </FoldedFile>
  );
}
