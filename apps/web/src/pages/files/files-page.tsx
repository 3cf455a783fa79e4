import type { DriveFile } from '@millrace/contracts';
import { useQueryClient } from '@tanstack/react-query';
import {
  Download,
  Ellipsis,
  File,
  FileArchive,
  FileImage,
  FileJson,
  FileSpreadsheet,
  Files,
  FileText,
  type LucideIcon,
  Share2,
  Trash2,
  Upload,
  Users,
} from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { saveFile, useDeleteAllFiles, useDeleteFiles, useFiles } from '../../data/files.ts';
import { type Command, useCommands } from '../../lib/commands.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useLoadMore } from '../../lib/use-load-more.ts';
import { useIsPhone } from '../../lib/use-media.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Menu, type MenuItem } from '../../ui/actions/menu.tsx';
import { byteText } from '../../ui/display/byte-text.ts';
import { EmptyState, LoadFailed, NothingFound } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Badge, Count } from '../../ui/display/status-chip.tsx';
import { Ago } from '../../ui/display/time.tsx';
import { FileDrop, pickFiles } from '../../ui/forms/file-drop.tsx';
import { PageSearch } from '../../ui/forms/filters.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { selectColumn } from '../../ui/layout/select-column.tsx';
import { type Selection, useSelection } from '../../ui/layout/use-selection.ts';
import { VirtualTable } from '../../ui/layout/virtual-table.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { LinkDialog } from './link-dialog.tsx';
import { SelectionActions } from './selection-actions.tsx';
import { useFilesTexts } from './texts/use-files-texts.ts';
import { UploadList } from './upload-list.tsx';
import { startUploads } from './uploads.ts';

function chooseIcon(type: string): LucideIcon {
  if (type.startsWith('image/')) return FileImage;
  if (/json/.test(type)) return FileJson;
  if (/csv|excel|spreadsheet/.test(type)) return FileSpreadsheet;
  if (/zip|tar|gzip|compressed/.test(type)) return FileArchive;
  if (/^text\/|pdf|word/.test(type)) return FileText;
  return File;
}

function useRemove(onDone: () => void) {
  const t = useFilesTexts();
  const { mutateAsync } = useDeleteFiles();
  return async (files: readonly DriveFile[]) => {
    const [first] = files;
    if (!first) return;
    const sure = await confirm({
      title: t('delete_title', { count: files.length, name: first.filename }),
      body: t('delete_body'),
      action: t('delete'),
    });
    if (!sure) return;
    await mutateAsync({ body: { file_ids: files.map((file) => file.id) } }).then((result) => {
      onDone();
      if (result.failed.length > 0) toast.failed(t('delete_partly', { count: result.failed.length }));
      else toast.done(t('deleted', { count: files.length, name: first.filename }));
    }, showFailure);
  };
}

interface ColumnOptions extends Selection {
  getMenu: (file: DriveFile) => MenuItem[];
}

function useColumns({ selected, onSelect, getMenu }: ColumnOptions): Column<DriveFile>[] {
  const t = useFilesTexts();
  const ui = useTranslations('ui');
  const locale = useLocale();
  return [
    selectColumn({
      selected,
      onSelect,
      header: ui('select_all'),
      getId: (file) => file.id,
      getLabel: (file) => ui('select_one', { name: file.filename }),
    }),
    {
      id: 'name',
      header: ui('name'),
      width: 'minmax(140px, 3fr)',
      cell: (file) => {
        const Icon = chooseIcon(file.mime_type);
        return (
          <>
            <Icon className="size-4 shrink-0 text-faint" aria-hidden />
            <button
              type="button"
              className="truncate font-medium hover:underline"
              onClick={() => void saveFile(file).catch(showFailure)}
            >
              {file.filename}
            </button>
            {file.is_shared ? (
              <Badge tone="info">
                <Users aria-hidden />
                {file.shared_by_team ?? file.shared_by}
              </Badge>
            ) : file.shared_with_my_teams ? (
              <Badge>
                <Users aria-hidden />
                {t('shared')}
              </Badge>
            ) : null}
          </>
        );
      },
    },
    {
      id: 'type',
      header: t('type'),
      wide: true,
      width: 'minmax(110px, 1fr)',
      cell: ({ mime_type }) => <span className="truncate text-sm text-soft">{mime_type}</span>,
    },
    {
      id: 'source',
      header: t('source'),
      wide: true,
      width: 'minmax(110px, 1fr)',
      cell: ({ source_node_label }) => (
        <span className="truncate text-soft">{source_node_label ?? t('uploaded')}</span>
      ),
    },
    {
      id: 'size',
      header: t('size'),
      align: 'end',
      width: '90px',
      cell: ({ size_bytes }) => <span className="text-soft">{byteText(size_bytes, locale)}</span>,
    },
    {
      id: 'created',
      header: t('created'),
      wide: true,
      width: '130px',
      cell: ({ created_at }) => <Ago at={created_at} className="truncate text-soft" />,
    },
    {
      id: 'menu',
      header: ui('more_actions'),
      hideHeader: true,
      width: '48px',
      align: 'end',
      cell: (file) => (
        <Menu items={getMenu(file)}>
          <IconButton
            size="small"
            tooltip={false}
            label={ui('actions_for', { name: file.filename })}
            icon={<Ellipsis aria-hidden />}
          />
        </Menu>
      ),
    },
  ];
}

function useMenu(onShare: (file: DriveFile) => void, remove: (files: readonly DriveFile[]) => Promise<void>) {
  const t = useFilesTexts();
  return (file: DriveFile): MenuItem[] => [
    {
      label: t('download'),
      icon: <Download aria-hidden />,
      onSelect: () => void saveFile(file).catch(showFailure),
    },
    ...(file.is_shared
      ? []
      : ([
          { label: t('share'), icon: <Share2 aria-hidden />, onSelect: () => onShare(file) },
          { kind: 'separator' },
          {
            label: t('delete'),
            icon: <Trash2 aria-hidden />,
            tone: 'danger',
            onSelect: () => void remove([file]),
          },
        ] satisfies MenuItem[])),
  ];
}

function DeleteAll() {
  const t = useFilesTexts();
  const remove = useDeleteAllFiles();
  const ask = async () => {
    const sure = await confirm({
      title: t('delete_all_title'),
      body: t('delete_all_body'),
      action: t('delete_all'),
      type_to_confirm: t('delete_word'),
    });
    if (!sure) return;
    await remove.mutateAsync({}).then(() => toast.done(t('deleted_all')), showFailure);
  };
  return (
    <IconButton
      label={t('delete_all')}
      icon={<Trash2 aria-hidden />}
      disabled={remove.isPending}
      onClick={() => void ask()}
    />
  );
}

/** Files that runs made and people uploaded. */
export function FilesPage() {
  const t = useFilesTexts();
  const client = useQueryClient();
  const phone = useIsPhone();
  const [words, setWords] = useState('');
  const list = useFiles(useDebounced(words.trim()));
  const { selected, onSelect, clear } = useSelection();
  const [sharing, setSharing] = useState<DriveFile>();
  const remove = useRemove(clear);
  const columns = useColumns({ selected, onSelect, getMenu: useMenu(setSharing, remove) });
  const files = useMemo(() => list.data?.pages.flatMap((page) => page.files) ?? [], [list.data]);
  const onEnd = useLoadMore(list);
  const take = useCallback((picked: readonly File[]) => startUploads(client, picked), [client]);
  const pick = useCallback(() => void pickFiles({}).then(take), [take]);
  useCommands(
    useMemo<Command[]>(
      () => [{ id: 'files.upload', title: t('upload'), icon: <Upload aria-hidden />, keys: 'n', run: pick }],
      [t, pick],
    ),
  );
  const chosen = files.filter((file) => selected.has(file.id));
  const total = list.data?.pages[0]?.total;
  return (
    <FileDrop className="h-full" invitation={t('drop_invitation')} onFiles={take}>
      <Page
        fill
        title={t('title')}
        badge={total === undefined ? null : <Count value={total} />}
        actions={
          <>
            {total ? <DeleteAll /> : null}
            <Button tone="primary" onClick={pick}>
              <Upload aria-hidden />
              {t('upload')}
            </Button>
          </>
        }
        toolbar={
          <>
            <PageSearch label={t('search')} value={words} onChange={setWords} />
            <SelectionActions files={chosen} onDelete={(own) => void remove(own)} />
          </>
        }
      >
        <UploadList />
        {list.isPending ? (
          <SkeletonRows />
        ) : list.isLoadingError ? (
          <LoadFailed error={list.error} onRetry={() => void list.refetch()} />
        ) : files.length === 0 && words !== '' ? (
          <NothingFound
            icon={<Files aria-hidden />}
            title={t('none_found')}
            words={words}
            onShowAll={() => setWords('')}
          />
        ) : files.length === 0 ? (
          <EmptyState
            icon={<Files aria-hidden />}
            title={t('none')}
            actions={<Button onClick={pick}>{t('upload')}</Button>}
          >
            {t('none_hint')}
          </EmptyState>
        ) : (
          <VirtualTable
            label={t('title')}
            columns={columns}
            rows={files}
            rowKey={(file) => file.id}
            onEnd={onEnd}
            rowHeight={phone ? 48 : 36}
          />
        )}
      </Page>
      {sharing ? <LinkDialog file={sharing} onClose={() => setSharing(undefined)} /> : null}
    </FileDrop>
  );
}
