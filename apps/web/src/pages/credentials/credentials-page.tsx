import { type Credential, credentialType } from '@millrace/contracts';
import { getRouteApi } from '@tanstack/react-router';
import { Ellipsis, KeyRound, Pencil, Plus, Share2, Trash2, TriangleAlert, Users } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useCredentials, useDeleteCredential } from '../../data/credentials.ts';
import { bestMatches } from '../../lib/fuzzy.ts';
import { useSearchWords } from '../../lib/use-search-words.ts';
import { type Command, useCommands } from '../../shell/commands.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Menu, type MenuItem } from '../../ui/actions/menu.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Badge, Count } from '../../ui/display/status-chip.tsx';
import { Ago } from '../../ui/display/time.tsx';
import { SearchInput } from '../../ui/forms/input.tsx';
import { type Column, DataTable } from '../../ui/layout/data-table.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { ShareDialog } from '../sharing/share-dialog.tsx';
import { CredentialDialog } from './credential-dialog.tsx';
import { TypeIcon } from './type-icon.tsx';

const route = getRouteApi('/app/credentials');

type Open = { kind: 'new' } | { kind: 'edit' | 'share'; credential: Credential };

function useMenu(show: (open: Open) => void) {
  const t = useTranslations('credentials');
  const { mutateAsync: remove } = useDeleteCredential();
  const deleteOne = async ({ id, name }: Credential) => {
    const sure = await confirm({
      title: t('delete_title', { name }),
      body: t('delete_body'),
      action: t('delete'),
    });
    if (!sure) return;
    await remove(id).then(
      () => toast.done(t('deleted', { name })),
      (error: Error) => toast.failed(error.message),
    );
  };
  return (credential: Credential): MenuItem[] => [
    {
      label: t('edit_action'),
      icon: <Pencil aria-hidden />,
      onSelect: () => show({ kind: 'edit', credential }),
    },
    { label: t('share'), icon: <Share2 aria-hidden />, onSelect: () => show({ kind: 'share', credential }) },
    { kind: 'separator' },
    {
      label: t('delete'),
      icon: <Trash2 aria-hidden />,
      tone: 'danger',
      onSelect: () => void deleteOne(credential),
    },
  ];
}

function useColumns(
  menuOf: (credential: Credential) => MenuItem[],
  onEdit: (credential: Credential) => void,
) {
  const t = useTranslations();
  return useMemo<Column<Credential>[]>(
    () => [
      {
        id: 'name',
        header: t('credentials.name'),
        width: 'minmax(160px, 2fr)',
        cell: (credential) => (
          <>
            <TypeIcon group={credentialType(credential.type)?.group} />
            {credential.is_shared ? (
              <span className="truncate font-medium">{credential.name}</span>
            ) : (
              <button
                type="button"
                className="truncate font-medium hover:underline"
                onClick={() => onEdit(credential)}
              >
                {credential.name}
              </button>
            )}
            {credential.readable ? null : (
              <Badge tone="danger">
                <TriangleAlert aria-hidden />
                {t('credentials.unreadable')}
              </Badge>
            )}
          </>
        ),
      },
      {
        id: 'type',
        header: t('credentials.type'),
        wide: true,
        width: 'minmax(120px, 1fr)',
        cell: ({ type }) => <span className="truncate text-soft">{credentialType(type)?.title ?? type}</span>,
      },
      {
        id: 'value',
        header: t('credentials.value'),
        wide: true,
        width: 'minmax(120px, 1fr)',
        cell: ({ masked_value, header_key }) => (
          <code className="truncate text-sm text-soft">
            {header_key ? `${header_key}: ` : ''}
            {masked_value ?? '••••••'}
          </code>
        ),
      },
      {
        id: 'owner',
        header: t('credentials.owner'),
        wide: true,
        width: 'minmax(120px, 1fr)',
        cell: ({ is_shared, shared_by, shared_by_team }) =>
          is_shared ? (
            <Badge tone="info">
              <Users aria-hidden />
              {shared_by_team ?? shared_by}
            </Badge>
          ) : (
            <span className="text-soft">{t('credentials.you')}</span>
          ),
      },
      {
        id: 'updated',
        header: t('credentials.updated'),
        wide: true,
        width: '130px',
        cell: ({ updated_at }) => <Ago at={updated_at} className="truncate text-soft" />,
      },
      {
        id: 'menu',
        header: t('ui.more_actions'),
        hideHeader: true,
        width: '48px',
        align: 'end',
        cell: (credential) =>
          credential.is_shared ? null : (
            <Menu items={menuOf(credential)}>
              <IconButton
                size="small"
                tooltip={false}
                label={t('ui.actions_for', { name: credential.name })}
                icon={<Ellipsis aria-hidden />}
              />
            </Menu>
          ),
      },
    ],
    [t, menuOf, onEdit],
  );
}

/** Credentials: own ones and those that others share. Secrets are never shown again. */
export function CredentialsPage() {
  const t = useTranslations('credentials');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [words, setWords] = useSearchWords(
    search.q,
    (q) => void navigate({ search: (before) => ({ ...before, q }), replace: true }),
  );
  const query = useCredentials();
  const [open, setOpen] = useState<Open>();
  const menuOf = useMenu(setOpen);
  const edit = useMemo(() => (credential: Credential) => setOpen({ kind: 'edit', credential }), []);
  const columns = useColumns(menuOf, edit);
  useCommands(
    useMemo<Command[]>(
      () => [
        {
          id: 'credentials.new',
          title: t('new'),
          icon: <Plus aria-hidden />,
          keys: 'n',
          run: () => setOpen({ kind: 'new' }),
        },
      ],
      [t],
    ),
  );
  const rows = bestMatches(query.data ?? [], words, ({ name, type }) => [
    name,
    credentialType(type)?.title ?? type,
  ]);
  const close = () => setOpen(undefined);
  return (
    <Page
      title={t('title')}
      badge={query.data ? <Count value={query.data.length} /> : null}
      actions={
        <Button tone="primary" onClick={() => setOpen({ kind: 'new' })}>
          <Plus aria-hidden />
          {t('new')}
        </Button>
      }
      toolbar={
        query.data && query.data.length > 0 ? (
          <SearchInput
            data-search
            className="w-full sm:w-72"
            label={t('search')}
            value={words}
            onChange={setWords}
          />
        ) : null
      }
    >
      {query.isPending ? (
        <SkeletonRows />
      ) : query.isError ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data.length === 0 ? (
        <EmptyState
          icon={<KeyRound aria-hidden />}
          title={t('none')}
          actions={
            <Button tone="primary" onClick={() => setOpen({ kind: 'new' })}>
              {t('new')}
            </Button>
          }
        >
          {t('none_hint')}
        </EmptyState>
      ) : rows.length === 0 ? (
        <EmptyState icon={<KeyRound aria-hidden />} title={t('none_found')} />
      ) : (
        <DataTable
          label={t('title')}
          columns={columns}
          rows={rows}
          rowKey={(credential) => credential.id}
          onOpen={(credential) => {
            if (!credential.is_shared) edit(credential);
          }}
        />
      )}
      {open?.kind === 'new' ? <CredentialDialog onClose={close} /> : null}
      {open?.kind === 'edit' ? <CredentialDialog credential={open.credential} onClose={close} /> : null}
      {open?.kind === 'share' ? (
        <ShareDialog kind="credential" id={open.credential.id} name={open.credential.name} onClose={close} />
      ) : null}
    </Page>
  );
}
