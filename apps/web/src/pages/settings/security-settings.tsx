import { changePassword, type Session } from '@millrace/contracts';
import { Laptop, LogOut, Smartphone, Terminal } from 'lucide-react';
import { ApiError } from '../../data/api.ts';
import { useChangePassword, useEndSession, useSessions } from '../../data/session.ts';
import { Button } from '../../ui/actions/button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Badge } from '../../ui/display/status-chip.tsx';
import { Ago } from '../../ui/display/time.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { PasswordInput } from '../../ui/forms/input.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { Section } from '../../ui/layout/page.tsx';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { PasswordRulesList } from '../auth/password-rules-list.tsx';
import { useAuthTexts } from '../auth/texts/use-auth-texts.ts';
import { AuthorizedClients } from './authorized-clients.tsx';
import { describeAgent } from './describe-agent.ts';
import { useSettingsTexts } from './texts/use-settings-texts.ts';

function PasswordForm() {
  const t = useSettingsTexts();
  const auth = useAuthTexts();
  const change = useChangePassword();
  const form = useForm({
    initial: { current_password: '', new_password: '' },
    schema: changePassword.body,
    submit: async (values) => {
      try {
        await change.mutateAsync({ body: values });
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 401) throw error;
        form.setErrors({ current_password: t('wrong_password') });
        return;
      }
      form.change({ current_password: '', new_password: '' });
      toast.done(t('password_changed'));
    },
  });
  return (
    <form {...form.props} className="flex max-w-md flex-col gap-4">
      <FormProblem text={form.errors['current_password'] ? undefined : form.problem} />
      <Field label={t('current_password')} error={form.errors['current_password']}>
        {(control) => (
          <PasswordInput
            {...control}
            autoComplete="current-password"
            value={form.values.current_password}
            onChange={(event) => form.change({ current_password: event.target.value })}
          />
        )}
      </Field>
      <Field
        label={t('new_password')}
        error={form.errors['new_password'] === undefined ? undefined : auth('password_rules_open')}
        hint={<PasswordRulesList password={form.values.new_password} />}
      >
        {(control) => (
          <PasswordInput
            {...control}
            autoComplete="new-password"
            value={form.values.new_password}
            onChange={(event) => form.change({ new_password: event.target.value })}
          />
        )}
      </Field>
      <Button
        type="submit"
        className="self-start"
        busy={form.busy}
        disabled={form.values.current_password === '' || form.values.new_password === ''}
      >
        {t('change_password')}
      </Button>
    </form>
  );
}

function SessionRow({ session }: { session: Session }) {
  const t = useSettingsTexts();
  const end = useEndSession();
  const agent = describeAgent(session.user_agent);
  const Icon = agent.kind === 'phone' ? Smartphone : agent.kind === 'program' ? Terminal : Laptop;
  return (
    <li className="flex min-h-14 items-center gap-3 border-b border-line last:border-b-0">
      <Icon className="size-5 shrink-0 text-faint" aria-hidden />
      <span className="min-w-0 grow">
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">{agent.name ?? t('unknown_device')}</span>
          {session.current ? <Badge tone="success">{t('this_device')}</Badge> : null}
        </span>
        <span className="block truncate text-sm text-faint">
          {session.client_ip ? `${session.client_ip} · ` : ''}
          {t('last_used')} <Ago at={session.last_used_at} />
        </span>
      </span>
      {session.current ? null : (
        <Button
          size="small"
          busy={end.isPending}
          onClick={() =>
            end.mutate(session.id, {
              onSuccess: () => toast.done(t('session_ended')),
              onError: showFailure,
            })
          }
        >
          <LogOut aria-hidden />
          {t('end_session')}
        </Button>
      )}
    </li>
  );
}

function Sessions() {
  const sessions = useSessions();
  if (sessions.isPending) return <SkeletonRows rows={3} />;
  if (sessions.isLoadingError)
    return <LoadFailed error={sessions.error} onRetry={() => void sessions.refetch()} />;
  return (
    <ul>
      {sessions.data.map((session) => (
        <SessionRow key={session.id} session={session} />
      ))}
    </ul>
  );
}

export function SecuritySettings() {
  const t = useSettingsTexts();
  return (
    <>
      <Section title={t('password')} hint={t('password_hint')}>
        <PasswordForm />
      </Section>
      <Section title={t('sessions')} hint={t('sessions_hint')}>
        <Sessions />
      </Section>
      <Section title={t('clients')} hint={t('clients_hint')}>
        <AuthorizedClients />
      </Section>
    </>
  );
}
