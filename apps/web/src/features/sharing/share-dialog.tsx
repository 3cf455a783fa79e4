import { type DataTablePermission, emailInput } from '@millrace/contracts';
import { useQuery } from '@tanstack/react-query';
import { UserPlus, UsersRound, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { isUnknownPerson } from '../../data/refusal.ts';
import { meQuery } from '../../data/session.ts';
import { type ShareKind, useChangeShare, useShares } from '../../data/shares.ts';
import { useTeams } from '../../data/teams.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Menu } from '../../ui/actions/menu.tsx';
import { Avatar } from '../../ui/display/avatar.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { useSharingTexts } from './texts/use-sharing-texts.ts';

interface ShareDialogProps {
  kind: ShareKind;
  id: string;
  name: string;
  onClose: () => void;
}

/** Shares a workflow, credential, variable, vector store, skill, data table or board with people and teams. Only its owner opens it. */
export function ShareDialog({ kind, id, name, onClose }: ShareDialogProps) {
  const t = useSharingTexts();
  return (
    <Dialog open onOpenChange={onClose} title={t('title', { name })} description={t(`hint_${kind}`)}>
      <InviteForm kind={kind} id={id} />
      <People kind={kind} id={id} />
    </Dialog>
  );
}

function InviteForm({ kind, id }: Pick<ShareDialogProps, 'kind' | 'id'>) {
  const t = useSharingTexts();
  const change = useChangeShare(kind, id);
  const { data: teams = [] } = useTeams();
  const { data: shares } = useShares(kind, id);
  const me = useQuery(meQuery).data;
  const taken = new Set(shares?.groups.map((group) => group.team_id));
  const form = useForm({
    initial: { email: '' },
    schema: emailInput,
    submit: async ({ email }) => {
      const address = email.trim();
      if (address.toLowerCase() === me?.email.toLowerCase()) throw new Error(t('is_owner'));
      await change.mutateAsync({ add: 'person', email: address }).catch((error: unknown) => {
        throw isUnknownPerson(error) ? new Error(t('no_account', { email: address })) : error;
      });
      form.change({ email: '' });
    },
  });
  const addTeam = (team_id: string) => void change.mutateAsync({ add: 'team', team_id }).catch(showFailure);
  const free = teams.filter((team) => !taken.has(team.id));
  return (
    <form {...form.props} className="flex flex-col gap-2">
      <FormProblem text={form.problem} />
      <Field label={t('email')} error={form.errors['email']}>
        {(control) => (
          <span className="flex gap-2">
            <Input
              {...control}
              type="email"
              autoFocus
              placeholder="name@example.org"
              value={form.values.email}
              onChange={(event) => form.change({ email: event.target.value })}
            />
            <Button type="submit" tone="primary" busy={form.busy} disabled={form.values.email.trim() === ''}>
              <UserPlus aria-hidden />
              {t('add')}
            </Button>
            <Menu
              items={
                free.length === 0
                  ? [{ kind: 'heading', label: teams.length === 0 ? t('no_teams') : t('all_teams') }]
                  : free.map((team) => ({ label: team.name, onSelect: () => addTeam(team.id) }))
              }
            >
              <Button>
                <UsersRound aria-hidden />
                {t('add_team')}
              </Button>
            </Menu>
          </span>
        )}
      </Field>
    </form>
  );
}

function Row({
  icon,
  name,
  detail,
  permission,
  onPermission,
  onRemove,
}: {
  icon: ReactNode;
  name: string;
  detail: string;
  /** Of kinds that tell readers and writers apart. */
  permission: DataTablePermission | undefined;
  onPermission: (permission: DataTablePermission) => void;
  onRemove: () => void;
}) {
  const t = useSharingTexts();
  return (
    <li className="flex min-h-11 items-center gap-3 border-b border-line last:border-b-0">
      {icon}
      <span className="min-w-0 grow">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-sm text-faint">{detail}</span>
      </span>
      {permission ? (
        <Select
          fit
          size="small"
          aria-label={t('permission_of', { name })}
          value={permission}
          choices={[
            { value: 'read', label: t('may_read') },
            { value: 'write', label: t('may_write') },
          ]}
          onChange={onPermission}
        />
      ) : null}
      <IconButton label={t('remove', { name })} icon={<X aria-hidden />} size="small" onClick={onRemove} />
    </li>
  );
}

const granted = (permission: DataTablePermission | undefined) => (permission ? { permission } : {});

function People({ kind, id }: Pick<ShareDialogProps, 'kind' | 'id'>) {
  const t = useSharingTexts();
  const ui = useTranslations('ui');
  const shares = useShares(kind, id);
  const change = useChangeShare(kind, id);
  if (shares.isPending) return <SkeletonRows rows={2} />;
  if (shares.isLoadingError) return <LoadFailed error={shares.error} onRetry={() => void shares.refetch()} />;
  const { people, groups } = shares.data;
  const undo = (run: () => Promise<unknown>) => ({
    label: ui('undo'),
    run: () => void run().catch(showFailure),
  });
  if (people.length + groups.length === 0)
    return <p className="pt-5 text-base text-faint">{t('no_access')}</p>;
  return (
    <>
      <h3 className="pt-5 pb-1 text-sm font-medium text-faint">{t('shared_with')}</h3>
      <ul>
        {groups.map(({ team_id, team_name, permission }) => (
          <Row
            key={team_id}
            icon={<Avatar square name={team_name} />}
            name={team_name}
            detail={t('team')}
            permission={permission}
            onPermission={(next) =>
              change.mutate({ add: 'team', team_id, permission: next }, { onError: showFailure })
            }
            onRemove={() =>
              change.mutate(
                { remove: 'team', team_id },
                {
                  onSuccess: () =>
                    toast.done(t('removed', { name: team_name }), {
                      undo: undo(() => change.mutateAsync({ add: 'team', team_id, ...granted(permission) })),
                    }),
                  onError: showFailure,
                },
              )
            }
          />
        ))}
        {people.map(({ user_id, name, email, permission }) => (
          <Row
            key={user_id}
            icon={<Avatar name={name} />}
            name={name}
            detail={email}
            permission={permission}
            onPermission={(next) =>
              change.mutate({ add: 'person', email, permission: next }, { onError: showFailure })
            }
            onRemove={() =>
              change.mutate(
                { remove: 'person', user_id },
                {
                  onSuccess: () =>
                    toast.done(t('removed', { name }), {
                      undo: undo(() => change.mutateAsync({ add: 'person', email, ...granted(permission) })),
                    }),
                  onError: showFailure,
                },
              )
            }
          />
        ))}
      </ul>
    </>
  );
}
