import { createTeam, type Team } from '@millrace/contracts';
import { useTranslations } from 'use-intl';
import { useCreateTeam, useUpdateTeam } from '../../data/teams.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';

interface TeamDialogProps {
  team?: Team;
  onClose: () => void;
  onCreated?: (id: string) => void;
}

export function TeamDialog({ team, onClose, onCreated }: TeamDialogProps) {
  const t = useTranslations();
  const create = useCreateTeam();
  const update = useUpdateTeam();
  const form = useForm({
    initial: { name: team?.name ?? '', description: team?.description ?? '' },
    schema: createTeam.body,
    submit: async (values) => {
      if (team) await update.mutateAsync({ id: team.id, ...values });
      else onCreated?.((await create.mutateAsync(values)).id);
      onClose();
    },
  });
  return (
    <Dialog
      open
      size="small"
      onOpenChange={onClose}
      title={team ? t('teams.edit') : t('teams.new')}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="primary" busy={form.busy} onClick={form.send}>
            {team ? t('ui.save') : t('teams.create')}
          </Button>
        </>
      }
    >
      <form {...form.props} className="flex flex-col gap-4">
        <FormProblem text={form.problem} />
        <Field label={t('teams.name')} error={form.errors['name']}>
          {(control) => (
            <Input
              {...control}
              autoFocus
              value={form.values.name}
              onChange={(event) => form.change({ name: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('teams.description')} optional error={form.errors['description']}>
          {(control) => (
            <TextArea
              {...control}
              rows={2}
              value={form.values.description}
              onChange={(event) => form.change({ description: event.target.value })}
            />
          )}
        </Field>
        <button type="submit" hidden tabIndex={-1} aria-hidden />
      </form>
    </Dialog>
  );
}
