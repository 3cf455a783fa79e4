import { Pencil, Share2, Trash2 } from 'lucide-react';
import { type ReactNode, useCallback, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { ShareKind } from '../../data/shares.ts';
import { ShareDialog } from '../../features/sharing/share-dialog.tsx';
import type { MenuItem } from '../../ui/actions/menu.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { showFailure, toast } from '../../ui/overlays/toast.ts';

interface Named {
  id: string;
  name: string;
}

type Open<Row> = { kind: 'new' } | { kind: 'edit' | 'share'; row: Row };

/** Which dialog is open over a list: for a new thing, or about one of its rows. */
export function useRowDialog<Row>() {
  const [open, setOpen] = useState<Open<Row>>();
  return {
    open,
    onNew: useCallback(() => setOpen({ kind: 'new' }), []),
    edit: useCallback((row: Row) => setOpen({ kind: 'edit', row }), []),
    share: useCallback((row: Row) => setOpen({ kind: 'share', row }), []),
    close: useCallback(() => setOpen(undefined), []),
  };
}

export type RowDialog<Row> = ReturnType<typeof useRowDialog<Row>>;

interface RowDialogsProps<Row> {
  dialog: RowDialog<Row>;
  kind: ShareKind;
  /** Draws the dialog of a stored row, or of a new one. */
  children: (row: Row | undefined) => ReactNode;
}

export function RowDialogs<Row extends Named>({ dialog, kind, children }: RowDialogsProps<Row>) {
  const { open, close } = dialog;
  if (!open) return null;
  if (open.kind !== 'share') return children(open.kind === 'edit' ? open.row : undefined);
  return <ShareDialog kind={kind} id={open.row.id} name={open.row.name} onClose={close} />;
}

interface RowMenuOptions<Row> {
  texts: (key: 'share' | 'delete_title' | 'deleted', values?: { name: string }) => string;
  /** Label of the item that opens the row's dialog; "Edit" by default. */
  edit?: string;
  /** Says what is lost with the row. */
  deleteBody: (row: Row) => ReactNode;
  /** False: the person keeps the row after all. */
  remove: (id: string) => Promise<unknown>;
}

/** Actions that a row offers its owner: change, share, and delete after a question. */
export function useRowMenu<Row extends Named>(
  { edit, share }: Pick<RowDialog<Row>, 'edit' | 'share'>,
  { texts: t, edit: editLabel, deleteBody, remove }: RowMenuOptions<Row>,
) {
  const ui = useTranslations('ui');
  const deleteOne = async (row: Row) => {
    const { id, name } = row;
    const sure = await confirm({
      title: t('delete_title', { name }),
      body: deleteBody(row),
      action: ui('delete'),
    });
    if (!sure) return;
    await remove(id).then((removed) => {
      if (removed !== false) toast.done(t('deleted', { name }));
    }, showFailure);
  };
  return (row: Row): MenuItem[] => [
    { label: editLabel ?? ui('edit'), icon: <Pencil aria-hidden />, onSelect: () => edit(row) },
    { label: t('share'), icon: <Share2 aria-hidden />, onSelect: () => share(row) },
    { kind: 'separator' },
    {
      label: ui('delete'),
      icon: <Trash2 aria-hidden />,
      tone: 'danger',
      onSelect: () => void deleteOne(row),
    },
  ];
}
