import type { SkillSummary, SkillVersionSummary } from '@millrace/contracts';
import { useState } from 'react';
import { useRestoreSkillVersion, useSkillVersions } from '../../../data/skills.ts';
import { LoadFailed } from '../../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../../ui/display/skeleton.tsx';
import { Badge } from '../../../ui/display/status-chip.tsx';
import { Ago } from '../../../ui/display/time.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { showFailure, toast } from '../../../ui/overlays/toast.ts';
import { useLibraryTexts } from '../texts/use-library-texts.ts';
import { VersionView } from './version-view.tsx';

interface VersionsDialogProps {
  skill: SkillSummary;
  onClose: () => void;
}

/** The versions of a skill, newest first, with what each holds and what has changed since; its owner can restore one. */
export function VersionsDialog({ skill, onClose }: VersionsDialogProps) {
  const t = useLibraryTexts();
  const query = useSkillVersions(skill.id);
  const [chosen, setChosen] = useState<number>();
  const versions = query.data?.items;
  const newest = versions?.find(({ is_current }) => is_current);
  const shown = versions?.find(({ number }) => number === chosen) ?? newest;
  const restore = useRestoreSkillVersion();
  const use = (number: number) =>
    void restore.mutateAsync({ params: { id: skill.id, number } }).then(() => {
      toast.done(t('restored', { number }));
      onClose();
    }, showFailure);
  return (
    <Dialog
      open
      size="wide"
      onOpenChange={onClose}
      title={t('versions_of', { name: skill.name })}
      description={t(skill.is_shared ? 'versions_hint_shared' : 'versions_hint')}
    >
      {query.isLoadingError ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : versions && shown && newest ? (
        <div className="grid gap-4 md:min-h-80 md:grid-cols-[220px_minmax(0,1fr)]">
          <VersionList versions={versions} shown={shown.number} onChoose={setChosen} />
          <VersionView
            key={shown.number}
            skill_id={skill.id}
            number={shown.number}
            newest={newest.number}
            busy={restore.isPending}
            onRestore={skill.is_shared ? undefined : () => use(shown.number)}
          />
        </div>
      ) : (
        <SkeletonRows />
      )}
    </Dialog>
  );
}

interface VersionListProps {
  versions: readonly SkillVersionSummary[];
  /** Number of the one beside the list. */
  shown: number;
  onChoose: (number: number) => void;
}

function VersionList({ versions, shown, onChoose }: VersionListProps) {
  const t = useLibraryTexts();
  return (
    <ul
      aria-label={t('version_list')}
      className="flex max-h-44 flex-col gap-1 overflow-y-auto md:max-h-[56vh]"
    >
      {versions.map(({ number, is_current, created_at, created_by_name }) => (
        <li key={number}>
          <button
            type="button"
            aria-current={number === shown}
            onClick={() => onChoose(number)}
            className="w-full rounded-m border border-transparent px-2.5 py-1.5 text-left outline-offset-[-2px] hover:bg-hover aria-[current=true]:border-accent-line aria-[current=true]:bg-accent-tint"
          >
            <span className="flex items-center gap-2 font-medium">
              {t('version_number', { number })}
              {is_current ? <Badge tone="info">{t('current')}</Badge> : null}
            </span>
            <span className="block truncate text-sm text-faint">
              <Ago at={created_at} />
              {created_by_name === null ? null : ` ${t('by', { name: created_by_name })}`}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
