import type { SkillSummary } from '@millrace/contracts';
import { Download } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { useSkill } from '../../data/skills.ts';
import { Button } from '../../ui/actions/button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { saveSkill } from './save-skill.ts';
import { SkillContents } from './skill-contents.tsx';
import { useLibraryTexts } from './texts/use-library-texts.ts';

/** A skill of another person: who owns it and what it holds, without anything that would be refused. */
export function SharedSkillDialog({ skill, onClose }: { skill: SkillSummary; onClose: () => void }) {
  const t = useLibraryTexts();
  const ui = useTranslations('ui');
  const query = useSkill(skill.id);
  const { name, shared_by, shared_by_team } = query.data ?? skill;
  const owner = shared_by ?? '';
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="large"
      title={name}
      description={
        shared_by_team === null
          ? t('owned_by', { owner })
          : t('owned_by_team', { owner, team: shared_by_team })
      }
      footer={
        <>
          <Button onClick={() => saveSkill(skill)}>
            <Download aria-hidden />
            {t('export')}
          </Button>
          <Button tone="primary" onClick={onClose}>
            {ui('close')}
          </Button>
        </>
      }
    >
      {query.isLoadingError ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data ? (
        <SkillContents of={query.data} version={query.data.version} />
      ) : (
        <SkeletonRows />
      )}
    </Dialog>
  );
}
