import type { VectorStore } from '@millrace/contracts';
import { Boxes, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useDeleteVectorStore, useVectorStores } from '../../data/vector-stores.ts';
import { useLeaveMenu } from '../../features/sharing/use-leave-menu.tsx';
import { useCredentialTypes } from '../../i18n/use-credential-types.ts';
import type { MenuItem } from '../../ui/actions/menu.tsx';
import { Badge } from '../../ui/display/status-chip.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import {
  menuColumn,
  nameColumn,
  ownerColumn,
  ResourceName,
  updatedColumn,
} from '../resources/resource-columns.tsx';
import { ResourcePage } from '../resources/resource-page.tsx';
import { RowDialogs, useRowDialog, useRowMenu } from '../resources/row-dialogs.tsx';
import { useVectorStoresTexts } from './texts/use-vector-stores-texts.ts';
import { VectorStoreDialog } from './vector-store-dialog.tsx';

function useColumns(
  getMenu: (store: VectorStore) => MenuItem[],
  onEdit: (store: VectorStore) => void,
): Column<VectorStore>[] {
  const t = useVectorStoresTexts();
  const ui = useTranslations('ui');
  const types = useCredentialTypes();
  return [
    nameColumn(ui, <Boxes aria-hidden />, (store) => (
      <ResourceName name={store.name} onOpen={store.is_shared ? undefined : () => onEdit(store)} />
    )),
    {
      id: 'backend',
      header: t('backend'),
      wide: true,
      width: 'minmax(140px, 1fr)',
      cell: ({ backend }) =>
        backend === null ? (
          <Badge tone="warning">
            <TriangleAlert aria-hidden />
            {t('credential_gone')}
          </Badge>
        ) : (
          <span className="truncate text-soft">{types.get(backend)?.title ?? backend}</span>
        ),
    },
    {
      id: 'collection',
      header: t('collection'),
      wide: true,
      width: 'minmax(140px, 1fr)',
      cell: ({ collection_name }) => <code className="truncate text-sm text-soft">{collection_name}</code>,
    },
    ownerColumn(ui),
    updatedColumn(ui),
    menuColumn(ui, getMenu),
  ];
}

/** Vector stores: collections behind a credential that model nodes search. */
export function VectorStoresPage() {
  const t = useVectorStoresTexts();
  const [words, setWords] = useState('');
  const dialog = useRowDialog<VectorStore>();
  const { mutateAsync: remove } = useDeleteVectorStore();
  const getOwnMenu = useRowMenu(dialog, { texts: t, deleteBody: () => t('delete_body'), remove });
  const getLeaveMenu = useLeaveMenu('vector_store');
  const getMenu = (store: VectorStore) => (store.is_shared ? getLeaveMenu(store) : getOwnMenu(store));
  return (
    <ResourcePage
      area="vector_stores"
      texts={t}
      icon={<Boxes aria-hidden />}
      query={useVectorStores()}
      words={words}
      onWords={setWords}
      getTexts={({ name, description, collection_name }) => [name, description ?? '', collection_name]}
      columns={useColumns(getMenu, dialog.edit)}
      onNew={dialog.onNew}
      onOpen={(store) => {
        if (!store.is_shared) dialog.edit(store);
      }}
    >
      <RowDialogs dialog={dialog} kind="vector_store">
        {(store) => <VectorStoreDialog store={store} onClose={dialog.close} />}
      </RowDialogs>
    </ResourcePage>
  );
}
