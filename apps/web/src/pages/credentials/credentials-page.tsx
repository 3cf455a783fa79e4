import type { Credential } from '@millrace/contracts';
import { getRouteApi } from '@tanstack/react-router';
import { KeyRound, Pencil, Share2, Trash2, TriangleAlert } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useCredentials, useDeleteCredential } from '../../data/credentials.ts';
import { useCredentialTypes } from '../../i18n/use-credential-types.ts';
import { useSearchWords } from '../../lib/use-search-words.ts';
import type { MenuItem } from '../../ui/actions/menu.tsx';
import { Badge } from '../../ui/display/status-chip.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { menuColumn, ownerColumn, ResourceName, updatedColumn } from '../resources/resource-columns.tsx';
import { ResourcePage } from '../resources/resource-page.tsx';
import { ShareDialog } from '../sharing/share-dialog.tsx';
import { CredentialDialog } from './credential-dialog.tsx';
import { useCredentialsTexts } from './texts/use-credentials-texts.ts';
import { TypeIcon } from './type-icon.tsx';

const route = getRouteApi('/app/credentials');

type Open = { kind: 'new' } | { kind: 'edit' | 'share'; credential: Credential };

function useMenu(show: (open: Open) => void) {
  const t = useCredentialsTexts();
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
  const t = useCredentialsTexts();
  const ui = useTranslations('ui');
  const types = useCredentialTypes();
  return useMemo<Column<Credential>[]>(
    () => [
      {
        id: 'name',
        header: ui('name'),
        width: 'minmax(160px, 2fr)',
        cell: (credential) => (
          <>
            <TypeIcon type={types.get(credential.type)} />
            <ResourceName
              name={credential.name}
              onOpen={credential.is_shared ? undefined : () => onEdit(credential)}
            />
            {credential.sign_in === 'missing' || credential.sign_in === 'ended' ? (
              <Badge tone={credential.sign_in === 'ended' ? 'danger' : 'neutral'}>
                <TriangleAlert aria-hidden />
                {t(`sign_in_${credential.sign_in}`)}
              </Badge>
            ) : null}
            {credential.readable ? null : (
              <Badge tone="danger">
                <TriangleAlert aria-hidden />
                {t('unreadable')}
              </Badge>
            )}
          </>
        ),
      },
      {
        id: 'type',
        header: t('type'),
        wide: true,
        width: 'minmax(120px, 1fr)',
        cell: ({ type }) => <span className="truncate text-soft">{types.get(type)?.title ?? type}</span>,
      },
      {
        id: 'value',
        header: t('value'),
        wide: true,
        width: 'minmax(120px, 1fr)',
        cell: ({ masked_value, header_key }) => (
          <code className="truncate text-sm text-soft">
            {header_key ? `${header_key}: ` : ''}
            {masked_value ?? '••••••'}
          </code>
        ),
      },
      ownerColumn(ui),
      updatedColumn(ui),
      menuColumn(ui, (credential) => (credential.is_shared ? [] : menuOf(credential))),
    ],
    [t, ui, types, menuOf, onEdit],
  );
}

/** Credentials: own ones and those that others share. Secrets are never shown again. */
export function CredentialsPage() {
  const t = useCredentialsTexts();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [words, setWords] = useSearchWords(
    search.q,
    (q) => void navigate({ search: (before) => ({ ...before, q }), replace: true }),
  );
  const [open, setOpen] = useState<Open>();
  const menuOf = useMenu(setOpen);
  const types = useCredentialTypes();
  const edit = useCallback((credential: Credential) => setOpen({ kind: 'edit', credential }), []);
  const close = () => setOpen(undefined);
  return (
    <ResourcePage
      area="credentials"
      texts={t}
      icon={<KeyRound aria-hidden />}
      query={useCredentials()}
      words={words}
      onWords={setWords}
      textsOf={({ name, type }) => [name, types.get(type)?.title ?? type]}
      columns={useColumns(menuOf, edit)}
      onNew={useCallback(() => setOpen({ kind: 'new' }), [])}
      onOpen={(credential) => {
        if (!credential.is_shared) edit(credential);
      }}
    >
      {open?.kind === 'new' ? <CredentialDialog onClose={close} /> : null}
      {open?.kind === 'edit' ? <CredentialDialog credential={open.credential} onClose={close} /> : null}
      {open?.kind === 'share' ? (
        <ShareDialog kind="credential" id={open.credential.id} name={open.credential.name} onClose={close} />
      ) : null}
    </ResourcePage>
  );
}
