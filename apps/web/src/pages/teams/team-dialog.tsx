import { createTeam, type Team } from '@millrace/contracts';
import { useTranslations } from 'use-intl';
import { useCreateTeam, useUpdateTeam } from '../../data/teams.ts';
import { NameDialog } from '../../ui/overlays/name-dialog.tsx';

interface TeamDialogProps {
  team?: Team;
  onClose: () => void;
  onCreated?: (id: string) => void;
}

export function TeamDialog({ team, onClose, onCreated }: TeamDialogProps) {
  const t = useTranslations();
  const create = useCreateTeam();
  const update = useUpdateTeam();
  return (
    <NameDialog
      title={team ? t('teams.edit') : t('teams.new')}
      action={team ? t('ui.save') : t('teams.create')}
      labels={{ name: t('teams.name'), description: t('teams.description') }}
      initial={{ name: team?.name ?? '', description: team?.description ?? '' }}
      schema={createTeam.body}
      submit={async (values) => {
        if (team) await update.mutateAsync({ id: team.id, ...values });
        else onCreated?.((await create.mutateAsync(values)).id);
      }}
      onClose={onClose}
    />
  );
}
