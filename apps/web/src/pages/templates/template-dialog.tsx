import { nodeTemplates } from '@millrace/contracts';
import { useTeams } from '../../data/teams.ts';
import type { TemplateSettings } from '../../data/templates.ts';
import { Field } from '../../ui/forms/field.tsx';
import { DescriptionField, NameField } from '../../ui/forms/name-fields.tsx';
import { Checkbox, Segmented } from '../../ui/forms/toggles.tsx';
import { TokenInput } from '../../ui/forms/token-input.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { useTemplatesTexts } from './texts/use-templates-texts.ts';

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
  const t = useTemplatesTexts();
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
      <NameField form={form} />
      <DescriptionField form={form} />
      <Field label={t('tags')} optional hint={t('tags_hint')} error={form.errors['tags']}>
        {(control) => <TokenInput {...control} tokens={values.tags} onChange={(tags) => change({ tags })} />}
      </Field>
      <div className="flex flex-col items-start gap-1.5">
        <span className="text-sm font-medium">{t('audience')}</span>
        <Segmented
          label={t('audience')}
          value={values.visibility}
          onChange={(visibility) => change({ visibility })}
          choices={[
            { value: 'everyone', label: t('everyone') },
            { value: 'specific_users', label: t('specific') },
          ]}
        />
      </div>
      {values.visibility === 'specific_users' ? (
        <>
          <Field label={t('people')} optional hint={t('people_hint')} error={form.errors['shared_with']}>
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
              <legend className="pb-1 text-sm font-medium">{t('teams')}</legend>
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
