import { nodeTemplates } from '@millrace/contracts';
import { useTranslations } from 'use-intl';
import { useTeams } from '../../data/teams.ts';
import type { TemplateSettings } from '../../data/templates.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { Checkbox, Segmented } from '../../ui/forms/toggles.tsx';
import { TokenInput } from '../../ui/forms/token-input.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';

export const NO_SETTINGS: TemplateSettings = {
  name: '',
  description: '',
  tags: [],
  visibility: 'everyone',
  shared_with: [],
  shared_with_teams: [],
};

interface TemplateDialogProps {
  title: string;
  initial: TemplateSettings;
  submit: (settings: TemplateSettings) => Promise<unknown>;
  onClose: () => void;
}

/** Name, description, tags and audience of a template. */
export function TemplateDialog({ title, initial, submit, onClose }: TemplateDialogProps) {
  const t = useTranslations();
  const { data: teams = [] } = useTeams();
  const form = useForm({
    initial,
    schema: nodeTemplates.update.body,
    submit: async (values) => {
      await submit(values);
      onClose();
    },
  });
  const { values, change } = form;
  const toggleTeam = (id: string, on: boolean) =>
    change({
      shared_with_teams: on
        ? [...values.shared_with_teams, id]
        : values.shared_with_teams.filter((other) => other !== id),
    });
  return (
    <FormDialog form={form} title={title} onClose={onClose}>
      <Field label={t('templates.name')} error={form.errors['name']}>
        {(control) => (
          <Input
            {...control}
            autoFocus
            value={values.name}
            onChange={(event) => change({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('templates.description')} optional error={form.errors['description']}>
        {(control) => (
          <TextArea
            {...control}
            value={values.description}
            onChange={(event) => change({ description: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('templates.tags')} optional hint={t('templates.tags_hint')} error={form.errors['tags']}>
        {(control) => <TokenInput {...control} tokens={values.tags} onChange={(tags) => change({ tags })} />}
      </Field>
      <div className="flex flex-col items-start gap-1.5">
        <span className="text-sm font-medium">{t('templates.audience')}</span>
        <Segmented
          label={t('templates.audience')}
          value={values.visibility}
          onChange={(visibility) => change({ visibility })}
          choices={[
            { value: 'everyone', label: t('templates.everyone') },
            { value: 'specific_users', label: t('templates.specific') },
          ]}
        />
      </div>
      {values.visibility === 'specific_users' ? (
        <>
          <Field
            label={t('templates.people')}
            optional
            hint={t('templates.people_hint')}
            error={form.errors['shared_with']}
          >
            {(control) => (
              <TokenInput
                {...control}
                tokens={values.shared_with}
                placeholder="name@example.org"
                onChange={(shared_with) => change({ shared_with })}
              />
            )}
          </Field>
          {teams.length > 0 ? (
            <fieldset className="flex flex-col gap-1.5">
              <legend className="pb-1 text-sm font-medium">{t('templates.teams')}</legend>
              {teams.map((team) => (
                <Checkbox
                  key={team.id}
                  label={team.name}
                  checked={values.shared_with_teams.includes(team.id)}
                  onChange={(on) => toggleTeam(team.id, on)}
                />
              ))}
            </fieldset>
          ) : null}
        </>
      ) : null}
    </FormDialog>
  );
}
