import type { VectorStore } from '@millrace/contracts';
import { Boxes, Pencil, Share2, Trash2, TriangleAlert } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useDeleteVectorStore, useVectorStores } from '../../data/vector-stores.ts';
import { useCredentialTypes } from '../../i18n/use-credential-types.ts';
import type { MenuItem } from '../../ui/actions/menu.tsx';
import { Badge } from '../../ui/display/status-chip.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { menuColumn, ownerColumn, ResourceName, updatedColumn } from '../resources/resource-columns.tsx';
import { ResourcePage } from '../resources/resource-page.tsx';
import { ShareDialog } from '../sharing/share-dialog.tsx';
import { useVectorStoresTexts } from './texts/use-vector-stores-texts.ts';
import { VectorStoreDialog } from './vector-store-dialog.tsx';

type Open = { kind: 'new' } | { kind: 'edit' | 'share'; store: VectorStore };

function useMenu(show: (open: Open) => void) {
  const t = useVectorStoresTexts();
  const ui = useTranslations('ui');
  const { mutateAsync: remove } = useDeleteVectorStore();
  const deleteOne = async ({ id, name }: VectorStore) => {
    const sure = await confirm({
      title: t('delete_title', { name }),
      body: t('delete_body'),
      action: ui('delete'),
    });
    if (!sure) return;
    await remove(id).then(
      () => toast.done(t('deleted', { name })),
      (error: Error) => toast.failed(error.message),
    );
  };
  return (store: VectorStore): MenuItem[] => [
    { label: ui('edit'), icon: <Pencil aria-hidden />, onSelect: () => show({ kind: 'edit', store }) },
    { label: t('share'), icon: <Share2 aria-hidden />, onSelect: () => show({ kind: 'share', store }) },
    { kind: 'separator' },
    {
      label: ui('delete'),
      icon: <Trash2 aria-hidden />,
      tone: 'danger',
      onSelect: () => void deleteOne(store),
    },
  ];
}

function useColumns(
  menuOf: (store: VectorStore) => MenuItem[],
  onEdit: (store: VectorStore) => void,
): Column<VectorStore>[] {
  const t = useVectorStoresTexts();
  const ui = useTranslations('ui');
  const types = useCredentialTypes();
  return [
    {
      id: 'name',
      header: ui('name'),
      width: 'minmax(160px, 2fr)',
      cell: (store) => (
        <>
          <Boxes className="size-4 shrink-0 text-faint" aria-hidden />
          <ResourceName name={store.name} onOpen={store.is_shared ? undefined : () => onEdit(store)} />
          <span className="hidden min-w-0 truncate text-sm text-faint lg:inline">{store.description}</span>
        </>
      ),
    },
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
    menuColumn(ui, (store) => (store.is_shared ? [] : menuOf(store))),
  ];
}

/** Vector stores: collections behind a credential that model nodes search. */
export function VectorStoresPage() {
  const t = useVectorStoresTexts();
  const [words, setWords] = useState('');
  const [open, setOpen] = useState<Open>();
  const menuOf = useMenu(setOpen);
  const edit = (store: VectorStore) => setOpen({ kind: 'edit', store });
  const close = () => setOpen(undefined);
  return (
    <ResourcePage
      area="vector_stores"
      texts={t}
      icon={<Boxes aria-hidden />}
      query={useVectorStores()}
      words={words}
      onWords={setWords}
      textsOf={({ name, description, collection_name }) => [name, description ?? '', collection_name]}
      columns={useColumns(menuOf, edit)}
      onNew={useCallback(() => setOpen({ kind: 'new' }), [])}
      onOpen={(store) => {
        if (!store.is_shared) edit(store);
      }}
    >
      {open?.kind === 'new' ? <VectorStoreDialog onClose={close} /> : null}
      {open?.kind === 'edit' ? <VectorStoreDialog store={open.store} onClose={close} /> : null}
      {open?.kind === 'share' ? (
        <ShareDialog kind="vector_store" id={open.store.id} name={open.store.name} onClose={close} />
      ) : null}
    </ResourcePage>
  );
}
