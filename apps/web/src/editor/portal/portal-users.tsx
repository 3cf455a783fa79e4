import type { PortalUser } from '@millrace/contracts';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import {
  useAddPortalUser,
  usePortalUsers,
  useRemovePortalUser,
  useResetPortalUser,
} from '../../data/portal.ts';
import { Button } from '../../ui/actions/button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Input, PasswordInput } from '../../ui/forms/input.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';

const MIN_PASSWORD = 4;

function Row({ children, onSubmit }: { children: ReactNode; onSubmit: () => void }) {
  return (
    <form
      className="flex flex-wrap items-end gap-2 [&>div]:min-w-40 [&>div]:flex-1"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

interface PasswordProps {
  value: string;
  onChange: (value: string) => void;
}

function Password({ value, onChange }: PasswordProps) {
  const t = useTranslations('editor.portal');
  return (
    <Field label={t('password')}>
      {(control) => (
        <PasswordInput
          {...control}
          autoComplete="new-password"
          placeholder={t('password_hint')}
          minLength={MIN_PASSWORD}
          required
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

function UserRow({ id, user, isLast }: { id: string; user: PortalUser; isLast: boolean }) {
  const t = useTranslations('editor.portal');
  const reset = useResetPortalUser(id);
  const remove = useRemovePortalUser(id);
  const [password, setPassword] = useState<string>();
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
        <Button size="small" onClick={() => setPassword('')}>
          {t('reset')}
        </Button>
        <Button size="small" tone="quiet-danger" busy={remove.isPending} onClick={() => void askToRemove()}>
          {t('remove')}
        </Button>
      </div>
      {password === undefined ? null : (
        <Row
          onSubmit={() =>
            reset.mutate({ user_id: user.id, password }, { onSuccess: () => setPassword(undefined) })
          }
        >
          <Password value={password} onChange={setPassword} />
          <Button type="submit" tone="primary" busy={reset.isPending}>
            {t('set')}
          </Button>
          <Button onClick={() => setPassword(undefined)}>{t('cancel')}</Button>
        </Row>
      )}
      <FormProblem text={(reset.error ?? remove.error)?.message} />
    </li>
  );
}

/** §2.6: the people who may sign in to the portal. */
export function PortalUsers({ id }: { id: string }) {
  const t = useTranslations('editor.portal');
  const users = usePortalUsers(id);
  const add = useAddPortalUser(id);
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const submit = () =>
    add.mutate(
      { username, password },
      {
        onSuccess: () => {
          setUsername('');
          setPassword('');
        },
      },
    );
  if (users.isError) return <LoadFailed error={users.error} onRetry={() => void users.refetch()} />;
  return (
    <section aria-labelledby="portal-users" className="mt-6 flex flex-col gap-3 border-t border-line pt-4">
      <div>
        <h3 id="portal-users" className="text-base">
          {t('users')}
        </h3>
        <p className="text-sm text-faint">{t('users_hint')}</p>
      </div>
      {users.data?.length === 0 ? <p className="text-sm text-soft">{t('no_users')}</p> : null}
      <ul className="flex flex-col divide-y divide-line">
        {users.data?.map((user) => (
          <UserRow key={user.id} id={id} user={user} isLast={users.data.length === 1} />
        ))}
      </ul>
      <Row onSubmit={submit}>
        <Field label={t('username')}>
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              maxLength={100}
              required
              value={username}
              onChange={(event) => setUsername(event.target.value)}
            />
          )}
        </Field>
        <Password value={password} onChange={setPassword} />
        <Button type="submit" busy={add.isPending}>
          {t('add')}
        </Button>
      </Row>
      <FormProblem text={add.error?.message} />
    </section>
  );
}
