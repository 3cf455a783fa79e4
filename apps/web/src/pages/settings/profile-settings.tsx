import { updateMe } from '@millrace/contracts';
import { useTranslations } from 'use-intl';
import { useMe, useUpdateMe } from '../../data/session.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Badge } from '../../ui/display/status-chip.tsx';
import { DateTime } from '../../ui/display/time.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { NameField } from '../../ui/forms/name-fields.tsx';
import { numberOrNone } from '../../ui/forms/number-or-none.ts';
import { useForm } from '../../ui/forms/use-form.ts';
import { Section } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { useSettingsTexts } from './texts/use-settings-texts.ts';

interface Values {
  name: string;
  user_rules: string;
  /** As typed. */
  daily_budget: string;
}

const toBody = ({ daily_budget, ...values }: Values) => ({
  ...values,
  daily_budget_usd: numberOrNone(daily_budget),
});

export function ProfileSettings() {
  const t = useSettingsTexts();
  const ui = useTranslations('ui');
  const me = useMe();
  const update = useUpdateMe();
  const form = useForm({
    initial: {
      name: me.name,
      user_rules: me.user_rules ?? '',
      daily_budget: String(me.daily_budget_usd ?? ''),
    },
    schema: updateMe.body,
    toBody,
    submit: async (values) => {
      await update.mutateAsync({ body: toBody(values) });
      toast.done(ui('saved'));
    },
  });
  const { name, user_rules, daily_budget } = form.values;
  const changed =
    name !== me.name ||
    user_rules !== (me.user_rules ?? '') ||
    daily_budget !== String(me.daily_budget_usd ?? '');
  return (
    <form {...form.props}>
      <Section title={t('profile')} hint={t('profile_hint')}>
        <div className="flex max-w-lg flex-col gap-4">
          <FormProblem text={form.problem} />
          <NameField form={form} autoFocus={false} autoComplete="name" />
          <Field label={t('email')} hint={t('email_hint')}>
            {(control) => <Input {...control} readOnly value={me.email} />}
          </Field>
          <p className="flex items-center gap-2 text-sm text-soft">
            {me.is_admin ? <Badge tone="info">{t('administrator')}</Badge> : null}
            <span>
              {t('member_since')} <DateTime at={me.created_at} />
            </span>
          </p>
        </div>
      </Section>
      <Section title={t('budget')} hint={t('budget_hint')}>
        <div className="max-w-lg">
          <Field
            label={t('daily_budget')}
            hint={t('daily_budget_hint')}
            error={form.errors['daily_budget_usd']}
          >
            {(control) => (
              <Input
                {...control}
                inputMode="decimal"
                value={daily_budget}
                onChange={(event) => form.change({ daily_budget: event.target.value })}
              />
            )}
          </Field>
        </div>
      </Section>
      <Section title={t('rules')} hint={t('rules_hint')}>
        <Field label={t('rules')} hideLabel error={form.errors['user_rules']}>
          {(control) => (
            <TextArea
              {...control}
              rows={6}
              maxLength={4000}
              value={form.values.user_rules}
              onChange={(event) => form.change({ user_rules: event.target.value })}
            />
          )}
        </Field>
        <Button type="submit" tone="primary" className="mt-4" busy={form.busy} disabled={!changed}>
          {ui('save')}
        </Button>
      </Section>
    </form>
  );
}
