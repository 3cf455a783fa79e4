import { createTeam, type Team } from '@millrace/contracts';
import { useTranslations } from 'use-intl';
import { useCreateTeam, useUpdateTeam } from '../../data/teams.ts';
import { NameDialog } from '../../ui/overlays/name-dialog.tsx';
import { useTeamsTexts } from './texts/use-teams-texts.ts';

interface TeamDialogProps {
  team?: Team;
  onClose: () => void;
  onCreated?: (id: string) => void;
}

export function TeamDialog({ team, onClose, onCreated }: TeamDialogProps) {
  const t = useTeamsTexts();
  const ui = useTranslations('ui');
  const create = useCreateTeam();
  const update = useUpdateTeam();
  return (
    <NameDialog
      title={team ? t('edit') : t('new')}
      action={team ? ui('save') : t('create')}
      initial={{ name: team?.name ?? '', description: team?.description ?? '' }}
      schema={createTeam.body}
      submit={async (values) => {
        if (team) await update.mutateAsync({ params: { id: team.id }, body: values });
        else onCreated?.((await create.mutateAsync({ body: values })).id);
      }}
      onClose={onClose}
    />
  );
}
