import { emailInput, type TeamDetail as Team } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import {
  Boxes,
  Files,
  GraduationCap,
  KeyRound,
  LayoutTemplate,
  type LucideIcon,
  Pencil,
  SquareKanban,
  Table2,
  Trash2,
  UserPlus,
  Variable,
  Workflow,
  X,
} from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isUnknownPerson } from '../../data/refusal.ts';
import { useMe } from '../../data/session.ts';
import { useAddMember, useDeleteTeam, useRemoveMember, useTeam, useTeamEntities } from '../../data/teams.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Avatar } from '../../ui/display/avatar.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Badge } from '../../ui/display/status-chip.tsx';
import { DateTime } from '../../ui/display/time.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { TeamDialog } from './team-dialog.tsx';
import { useTeamsTexts } from './texts/use-teams-texts.ts';

function Members({ team }: { team: Team }) {
  const t = useTeamsTexts();
  const ui = useTranslations('ui');
  const me = useMe();
  const remove = useRemoveMember(team.id);
  const add = useAddMember(team.id);
  return (
    <ul aria-label={t('members')}>
      {team.members.map((member) => (
        <li
          key={member.id}
          className="flex min-h-12 items-center gap-3 border-b border-line px-5 last:border-b-0"
        >
          <Avatar name={member.name} className="size-7" />
          <span className="min-w-0 grow">
            <span className="flex items-center gap-2">
              <span className="truncate font-medium">{member.name}</span>
              {member.user_id === me.id ? <Badge>{t('you')}</Badge> : null}
              {member.user_id === team.creator_id ? <Badge tone="info">{t('creator')}</Badge> : null}
            </span>
            <span className="block truncate text-sm text-faint">{member.email}</span>
          </span>
          <span className="text-sm text-faint max-sm:hidden">
            {t('joined')} <DateTime at={member.joined_at} />
          </span>
          {member.user_id === team.creator_id ? (
            <span className="w-[var(--control-height-small)]" />
          ) : (
            <IconButton
              size="small"
              label={t('remove_member', { name: member.name })}
              icon={<X aria-hidden />}
              onClick={() =>
                remove.mutate(member.user_id, {
                  onSuccess: () =>
                    toast.done(t('member_removed', { name: member.name }), {
                      undo: {
                        label: ui('undo'),
                        run: () => add.mutate(member.email, { onError: showFailure }),
                      },
                    }),
                  onError: showFailure,
                })
              }
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function AddMember({ id }: { id: string }) {
  const t = useTeamsTexts();
  const add = useAddMember(id);
  const form = useForm({
    initial: { email: '' },
    schema: emailInput,
    submit: async ({ email }) => {
      const address = email.trim();
      await add.mutateAsync(address).catch((error: unknown) => {
        throw isUnknownPerson(error) ? new Error(t('no_account', { email: address })) : error;
      });
      form.change({ email: '' });
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-2 px-5 pb-3">
      <FormProblem text={form.problem} />
      <Field label={t('add_member')} hint={t('add_member_hint')} error={form.errors['email']}>
        {(control) => (
          <span className="flex max-w-md gap-2">
            <Input
              {...control}
              type="email"
              placeholder="name@example.org"
              value={form.values.email}
              onChange={(event) => form.change({ email: event.target.value })}
            />
            <Button type="submit" busy={form.busy} disabled={form.values.email.trim() === ''}>
              <UserPlus aria-hidden />
              {t('add')}
            </Button>
          </span>
        )}
      </Field>
    </form>
  );
}

const KINDS = [
  ['workflows', Workflow],
  ['credentials', KeyRound],
  ['global_variables', Variable],
  ['vector_stores', Boxes],
  ['data_tables', Table2],
  ['boards', SquareKanban],
  ['skills', GraduationCap],
  ['files', Files],
  ['workflow_templates', LayoutTemplate],
  ['node_templates', LayoutTemplate],
] as const satisfies readonly (readonly [string, LucideIcon])[];

const LINK = 'truncate hover:underline';

/** Leads to where the thing can be used. */
function EntityLink({ kind, id, name }: { kind: (typeof KINDS)[number][0]; id: string; name: string }) {
  switch (kind) {
    case 'workflows':
      return (
        <Link to="/workflows/$id" params={{ id }} className={LINK}>
          {name}
        </Link>
      );
    case 'credentials':
      return (
        <Link to="/credentials" search={{ q: name }} className={LINK}>
          {name}
        </Link>
      );
    case 'workflow_templates':
    case 'node_templates':
      return (
        <Link to="/templates" search={{ open: id }} className={LINK}>
          {name}
        </Link>
      );
    case 'global_variables':
      return (
        <Link to="/variables" className={LINK}>
          {name}
        </Link>
      );
    case 'vector_stores':
      return (
        <Link to="/vector-stores" className={LINK}>
          {name}
        </Link>
      );
    case 'data_tables':
      return (
        <Link to="/data-tables/$id" params={{ id }} className={LINK}>
          {name}
        </Link>
      );
    case 'boards':
      return (
        <Link to="/boards/$id" params={{ id }} className={LINK}>
          {name}
        </Link>
      );
    case 'skills':
      return (
        <Link to="/skills" className={LINK}>
          {name}
        </Link>
      );
    case 'files':
      return (
        <Link to="/files" className={LINK}>
          {name}
        </Link>
      );
    default:
      return kind satisfies never;
  }
}

function SharedThings({ id }: { id: string }) {
  const t = useTeamsTexts();
  const { data } = useTeamEntities(id);
  if (!data) return <SkeletonRows rows={2} />;
  const kinds = KINDS.filter(([kind]) => data[kind].length > 0);
  if (kinds.length === 0) return <p className="px-5 pb-6 text-soft">{t('nothing_shared')}</p>;
  return (
    <div className="grid gap-x-8 gap-y-4 px-5 pb-6 sm:grid-cols-2 xl:grid-cols-3">
      {kinds.map(([kind, Icon]) => (
        <section key={kind}>
          <h4 className="pb-1 text-sm font-medium text-faint">{t(`kind_${kind}`)}</h4>
          <ul>
            {data[kind].map((item) => (
              <li key={item.id} className="flex h-7 min-w-0 items-center gap-2">
                <Icon className="size-4 shrink-0 text-faint" aria-hidden />
                <EntityLink kind={kind} id={item.id} name={item.name} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

export function TeamDetail({ id, onGone }: { id: string; onGone: () => void }) {
  const t = useTeamsTexts();
  const me = useMe();
  const query = useTeam(id);
  const remove = useDeleteTeam();
  const [editing, setEditing] = useState(false);
  if (query.isPending) return <SkeletonRows rows={5} />;
  if (query.isLoadingError) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  const team = query.data;
  const deleteTeam = async () => {
    const sure = await confirm({
      title: t('delete_title', { name: team.name }),
      body: t('delete_body'),
      action: t('delete'),
    });
    if (!sure) return;
    await remove.mutateAsync(id).then(() => {
      onGone();
      toast.done(t('deleted', { name: team.name }));
    }, showFailure);
  };
  return (
    <div className="h-full overflow-y-auto">
      <header className="flex flex-wrap items-start gap-3 px-5 pt-4 pb-4">
        <Avatar square name={team.name} className="size-9 text-sm" />
        <div className="min-w-0 grow">
          <h2 className="truncate text-lg">{team.name}</h2>
          <p className="text-soft">{team.description || t('no_description')}</p>
        </div>
        {team.creator_id === me.id ? (
          <span className="flex gap-2">
            <Button size="small" onClick={() => setEditing(true)}>
              <Pencil aria-hidden />
              {t('edit')}
            </Button>
            <Button size="small" tone="quiet-danger" onClick={() => void deleteTeam()}>
              <Trash2 aria-hidden />
              {t('delete')}
            </Button>
          </span>
        ) : (
          <span className="text-sm text-faint">{t('only_creator', { name: team.creator_name })}</span>
        )}
      </header>
      <h3 className="border-t border-line px-5 pt-4 pb-2 text-sm font-medium text-soft">{t('members')}</h3>
      <AddMember id={id} />
      <Members team={team} />
      <h3 className="border-t border-line px-5 pt-4 pb-2 text-sm font-medium text-soft">{t('shared')}</h3>
      <SharedThings id={id} />
      {editing ? <TeamDialog team={team} onClose={() => setEditing(false)} /> : null}
    </div>
  );
}
