import { addPortalUser, type PortalUser, resetPortalUser } from '@millrace/contracts';
import { type ComponentProps, useState } from 'react';
import {
  useAddPortalUser,
  useEndPortalUserSessions,
  usePortalUsers,
  useRemovePortalUser,
  useResetPortalUser,
} from '../../../../data/portal.ts';
import { Button } from '../../../../ui/actions/button.tsx';
import { LoadFailed } from '../../../../ui/display/empty-state.tsx';
import { Field } from '../../../../ui/forms/field.tsx';
import { FormProblem } from '../../../../ui/forms/form-problem.tsx';
import { Input, PasswordInput } from '../../../../ui/forms/input.tsx';
import { useForm } from '../../../../ui/forms/use-form.ts';
import { confirm } from '../../../../ui/overlays/confirm-store.ts';
import { toast } from '../../../../ui/overlays/toast.ts';
import { PortalSection } from '../portal-section.tsx';
import { usePortalTexts } from '../texts/use-portal-texts.ts';

const Row = (props: ComponentProps<'form'>) => (
  <form {...props} className="flex flex-wrap items-end gap-2 [&>div]:min-w-40 [&>div]:flex-1" />
);

interface PasswordProps {
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function Password({ value, error, onChange }: PasswordProps) {
  const t = usePortalTexts();
  return (
    <Field label={t('password')} error={error}>
      {(control) => (
        <PasswordInput
          {...control}
          autoComplete="new-password"
          placeholder={t('password_hint')}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

function ResetForm({ id, user_id, onClose }: { id: string; user_id: string; onClose: () => void }) {
  const t = usePortalTexts();
  const reset = useResetPortalUser(id);
  const form = useForm({
    initial: { password: '' },
    schema: resetPortalUser.body,
    submit: async ({ password }) => {
      await reset.mutateAsync({ user_id, password });
      onClose();
    },
  });
  return (
    <>
      <Row {...form.props}>
        <Password
          value={form.values.password}
          error={form.errors['password']}
          onChange={(password) => form.change({ password })}
        />
        <Button type="submit" tone="primary" busy={form.busy}>
          {t('set')}
        </Button>
        <Button onClick={onClose}>{t('cancel')}</Button>
      </Row>
      <FormProblem text={form.problem} />
    </>
  );
}

function AddForm({ id }: { id: string }) {
  const t = usePortalTexts();
  const add = useAddPortalUser(id);
  const form = useForm({
    initial: { username: '', password: '' },
    schema: addPortalUser.body,
    submit: async (values) => {
      await add.mutateAsync(values);
      form.change({ username: '', password: '' });
    },
  });
  return (
    <>
      <Row {...form.props}>
        <Field label={t('username')} error={form.errors['username']}>
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              value={form.values.username}
              onChange={(event) => form.change({ username: event.target.value })}
            />
          )}
        </Field>
        <Password
          value={form.values.password}
          error={form.errors['password']}
          onChange={(password) => form.change({ password })}
        />
        <Button type="submit" busy={form.busy}>
          {t('add')}
        </Button>
      </Row>
      <FormProblem text={form.problem} />
    </>
  );
}

function UserRow({ id, user, isLast }: { id: string; user: PortalUser; isLast: boolean }) {
  const t = usePortalTexts();
  const remove = useRemovePortalUser(id);
  const endSessions = useEndPortalUserSessions(id);
  const [resets, setResets] = useState(false);
  const askToRemove = async () => {
    const sure = await confirm({
      title: t('remove_title', { name: user.username }),
      body: t(isLast ? 'last_body' : 'remove_body'),
      action: t('remove'),
    });
    if (sure) remove.mutate(user.id);
  };
  return (
    <li className="flex flex-col gap-2 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 grow break-words">{user.username}</span>
        <Button size="small" onClick={() => setResets(true)}>
          {t('reset')}
        </Button>
        <Button
          size="small"
          busy={endSessions.isPending}
          onClick={() =>
            endSessions.mutate(user.id, {
              onSuccess: () => toast.done(t('sessions_ended', { name: user.username })),
            })
          }
        >
          {t('end_sessions')}
        </Button>
        <Button size="small" tone="quiet-danger" busy={remove.isPending} onClick={() => void askToRemove()}>
          {t('remove')}
        </Button>
      </div>
      {resets ? <ResetForm id={id} user_id={user.id} onClose={() => setResets(false)} /> : null}
      <FormProblem text={remove.error?.message ?? endSessions.error?.message} />
    </li>
  );
}

/** §2.6: the people who may sign in to the portal. */
export function PortalUsers({ id }: { id: string }) {
  const t = usePortalTexts();
  const users = usePortalUsers(id);
  if (users.isLoadingError) return <LoadFailed error={users.error} onRetry={() => void users.refetch()} />;
  return (
    <PortalSection title={t('users')} hint={t('users_hint')} className="mt-6 gap-3 border-t border-line pt-4">
      {users.data?.length === 0 ? <p className="text-sm text-soft">{t('no_users')}</p> : null}
      <ul className="flex flex-col divide-y divide-line">
        {users.data?.map((user) => (
          <UserRow key={user.id} id={id} user={user} isLast={users.data.length === 1} />
        ))}
      </ul>
      <AddForm id={id} />
    </PortalSection>
  );
}
