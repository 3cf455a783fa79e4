import { credentialType, type VectorStore } from '@millrace/contracts';
import { Boxes, Ellipsis, Pencil, Plus, Share2, Trash2, TriangleAlert, Users } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useDeleteVectorStore, useVectorStores } from '../../data/vector-stores.ts';
import { bestMatches } from '../../lib/fuzzy.ts';
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
import { VectorStoreDialog } from './vector-store-dialog.tsx';

type Open = { kind: 'new' } | { kind: 'edit' | 'share'; store: VectorStore };

function useMenu(show: (open: Open) => void) {
  const t = useTranslations('vector_stores');
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

function columnsOf(
  t: ReturnType<typeof useTranslations<never>>,
  menuOf: (store: VectorStore) => MenuItem[],
  onEdit: (store: VectorStore) => void,
): Column<VectorStore>[] {
  return [
    {
      id: 'name',
      header: t('vector_stores.name'),
      width: 'minmax(160px, 2fr)',
      cell: (store) => (
        <>
          <Boxes className="size-4 shrink-0 text-faint" aria-hidden />
          {store.is_shared ? (
            <span className="truncate font-medium">{store.name}</span>
          ) : (
            <button
              type="button"
              className="truncate font-medium hover:underline"
              onClick={() => onEdit(store)}
            >
              {store.name}
            </button>
          )}
          <span className="hidden min-w-0 truncate text-sm text-faint lg:inline">{store.description}</span>
        </>
      ),
    },
    {
      id: 'backend',
      header: t('vector_stores.backend'),
      wide: true,
      width: 'minmax(140px, 1fr)',
      cell: ({ backend }) =>
        backend === null ? (
          <Badge tone="warning">
            <TriangleAlert aria-hidden />
            {t('vector_stores.credential_gone')}
          </Badge>
        ) : (
          <span className="truncate text-soft">{credentialType(backend)?.title ?? backend}</span>
        ),
    },
    {
      id: 'collection',
      header: t('vector_stores.collection'),
      wide: true,
      width: 'minmax(140px, 1fr)',
      cell: ({ collection_name }) => <code className="truncate text-sm text-soft">{collection_name}</code>,
    },
    {
      id: 'owner',
      header: t('credentials.owner'),
      wide: true,
      width: 'minmax(110px, 1fr)',
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
      cell: (store) =>
        store.is_shared ? null : (
          <Menu items={menuOf(store)}>
            <IconButton
              size="small"
              tooltip={false}
              label={t('ui.actions_for', { name: store.name })}
              icon={<Ellipsis aria-hidden />}
            />
          </Menu>
        ),
    },
  ];
}

/** Vector stores: collections behind a credential that model nodes search. */
export function VectorStoresPage() {
  const t = useTranslations();
  const query = useVectorStores();
  const [words, setWords] = useState('');
  const [open, setOpen] = useState<Open>();
  const menuOf = useMenu(setOpen);
  const openNew = useMemo(() => () => setOpen({ kind: 'new' }), []);
  useCommands(
    useMemo<Command[]>(
      () => [
        {
          id: 'vector_stores.new',
          title: t('vector_stores.new'),
          icon: <Plus aria-hidden />,
          keys: 'n',
          run: openNew,
        },
      ],
      [t, openNew],
    ),
  );
  const all = query.data ?? [];
  const rows = bestMatches(all, words, ({ name, description, collection_name }) => [
    name,
    description ?? '',
    collection_name,
  ]);
  const edit = (store: VectorStore) => setOpen({ kind: 'edit', store });
  const close = () => setOpen(undefined);
  return (
    <Page
      title={t('vector_stores.title')}
      badge={query.data ? <Count value={all.length} /> : null}
      actions={
        <Button tone="primary" onClick={openNew}>
          <Plus aria-hidden />
          {t('vector_stores.new')}
        </Button>
      }
      toolbar={
        all.length === 0 ? null : (
          <SearchInput
            data-search
            className="w-full sm:w-72"
            label={t('vector_stores.search')}
            value={words}
            onChange={setWords}
          />
        )
      }
    >
      {query.isPending ? (
        <SkeletonRows />
      ) : query.isError ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : all.length === 0 ? (
        <EmptyState
          icon={<Boxes aria-hidden />}
          title={t('vector_stores.none')}
          actions={
            <Button tone="primary" onClick={openNew}>
              {t('vector_stores.new')}
            </Button>
          }
        >
          {t('vector_stores.none_hint')}
        </EmptyState>
      ) : rows.length === 0 ? (
        <EmptyState icon={<Boxes aria-hidden />} title={t('vector_stores.none_found')} />
      ) : (
        <DataTable
          label={t('vector_stores.title')}
          columns={columnsOf(t, menuOf, edit)}
          rows={rows}
          rowKey={(store) => store.id}
          onOpen={(store) => {
            if (!store.is_shared) edit(store);
          }}
        />
      )}
      {open?.kind === 'new' ? <VectorStoreDialog onClose={close} /> : null}
      {open?.kind === 'edit' ? <VectorStoreDialog store={open.store} onClose={close} /> : null}
      {open?.kind === 'share' ? (
        <ShareDialog kind="vector_store" id={open.store.id} name={open.store.name} onClose={close} />
      ) : null}
    </Page>
  );
}
