import type { Credential } from '@millrace/contracts';
import { getRouteApi } from '@tanstack/react-router';
import { KeyRound, TriangleAlert } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { useCredentials, useDeleteCredential } from '../../data/credentials.ts';
import { CredentialDialog } from '../../features/credential/credential-dialog.tsx';
import { CredentialUsesText } from '../../features/credential/credential-uses.tsx';
import { useCredentialTexts } from '../../features/credential/texts/use-credential-texts.ts';
import { TypeIcon } from '../../features/credential/type-icon.tsx';
import { useLeaveMenu } from '../../features/sharing/use-leave-menu.tsx';
import { useCredentialTypes } from '../../i18n/use-credential-types.ts';
import { useSearchWords } from '../../lib/use-search-words.ts';
import { Button } from '../../ui/actions/button.tsx';
import type { MenuItem } from '../../ui/actions/menu.tsx';
import { Badge } from '../../ui/display/status-chip.tsx';
import { Ago } from '../../ui/display/time.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { menuColumn, ownerColumn, ResourceName, updatedColumn } from '../resources/resource-columns.tsx';
import { ResourcePage } from '../resources/resource-page.tsx';
import { RowDialogs, useRowDialog, useRowMenu } from '../resources/row-dialogs.tsx';
import { useCredentialsTexts } from './texts/use-credentials-texts.ts';

const route = getRouteApi('/app/credentials');

function useColumns(
  getMenu: (credential: Credential) => MenuItem[],
  onEdit: (credential: Credential) => void,
): Column<Credential>[] {
  const t = useCredentialsTexts();
  const credentialTexts = useCredentialTexts();
  const ui = useTranslations('ui');
  const types = useCredentialTypes();
  return [
    {
      id: 'name',
      header: ui('name'),
      width: 'minmax(160px, 2fr)',
      cell: (credential) => (
        <>
          <TypeIcon type={types.get(credential.type)} />
          <span className="flex min-w-0 flex-col items-start max-md:py-1.5">
            <ResourceName name={credential.name} onOpen={() => onEdit(credential)} />
            <NarrowFacts credential={credential} title={types.get(credential.type)?.title} />
          </span>
          {credential.sign_in === 'missing' || credential.sign_in === 'ended' ? (
            <Badge tone={credential.sign_in === 'ended' ? 'danger' : 'neutral'}>
              <TriangleAlert aria-hidden />
              {credentialTexts(`sign_in_${credential.sign_in}`)}
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
    menuColumn(ui, getMenu),
  ];
}

/** A credential of another person: it can be used, but neither seen nor changed. */
function SharedCredential({ credential, onClose }: { credential: Credential; onClose: () => void }) {
  const t = useCredentialsTexts();
  const ui = useTranslations('ui');
  const types = useCredentialTypes();
  const { name, type, shared_by, shared_by_team } = credential;
  return (
    <Dialog
      open
      size="small"
      onOpenChange={onClose}
      title={name}
      description={t('shared_hint', { person: shared_by_team ?? shared_by ?? '' })}
      footer={<Button onClick={onClose}>{ui('close')}</Button>}
    >
      <p className="text-soft">
        {t('type')}: {types.get(type)?.title ?? type}
      </p>
    </Dialog>
  );
}

/** Facts of the columns that a phone has no room for. */
function NarrowFacts({ credential, title }: { credential: Credential; title: string | undefined }) {
  const { type, is_shared, shared_by, shared_by_team, updated_at } = credential;
  const parts = [title ?? type, is_shared ? (shared_by_team ?? shared_by) : null].filter(Boolean);
  return (
    <span className="block max-w-full truncate text-sm text-faint md:hidden">
      {parts.join(' · ')} · <Ago at={updated_at} />
    </span>
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
  const dialog = useRowDialog<Credential>();
  const { mutateAsync: remove } = useDeleteCredential();
  const deleteBody = ({ id }: Credential) => (
    <>
      {t('delete_body')} <CredentialUsesText id={id} />
    </>
  );
  const getOwnMenu = useRowMenu(dialog, { texts: t, deleteBody, remove });
  const getLeaveMenu = useLeaveMenu('credential');
  const getMenu = (credential: Credential) =>
    credential.is_shared ? getLeaveMenu(credential) : getOwnMenu(credential);
  const types = useCredentialTypes();
  return (
    <ResourcePage
      area="credentials"
      texts={t}
      icon={<KeyRound aria-hidden />}
      query={useCredentials()}
      words={words}
      onWords={setWords}
      getTexts={({ name, type }) => [name, types.get(type)?.title ?? type]}
      columns={useColumns(getMenu, dialog.edit)}
      onNew={dialog.onNew}
      onOpen={dialog.edit}
    >
      <RowDialogs dialog={dialog} kind="credential">
        {(credential) =>
          credential?.is_shared ? (
            <SharedCredential credential={credential} onClose={dialog.close} />
          ) : (
            <CredentialDialog credential={credential} onClose={dialog.close} />
          )
        }
      </RowDialogs>
    </ResourcePage>
  );
}
