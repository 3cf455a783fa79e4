import type { DataCsvPreview, DataImport, DataTable } from '@millrace/contracts';
import { useQuery } from '@tanstack/react-query';
import { FileSpreadsheet } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { previewCsv, useImportCsv } from '../../data/data-tables.ts';
import { Button } from '../../ui/actions/button.tsx';
import { EmptyState } from '../../ui/display/empty-state.tsx';
import { ProgressBar } from '../../ui/display/progress-bar.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { FileDrop, pickFiles } from '../../ui/forms/file-drop.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useDataTablesTexts } from './texts/use-data-tables-texts.ts';

interface ImportDialogProps {
  table: DataTable;
  onClose: () => void;
}

/** Columns by header; an empty name leaves the header out. */
type Mapping = Record<string, string>;

const matched = ({ headers }: DataCsvPreview): Mapping =>
  Object.fromEntries(headers.map(({ header, column }) => [header, column ?? '']));

/** Rows of a CSV file: choose it, say which header is which column, watch it arrive. */
export function ImportDialog({ table, onClose }: ImportDialogProps) {
  const t = useDataTablesTexts();
  const [file, setFile] = useState<File>();
  const pick = () =>
    void pickFiles({ accept: '.csv,.tsv,.txt,text/csv', multiple: false }).then(([one]) => setFile(one));
  if (file)
    return (
      <ChosenFile key={`${file.name}-${file.lastModified}`} table={table} file={file} onClose={onClose} />
    );
  return (
    <Dialog open size="large" onOpenChange={onClose} title={t('import_title', { name: table.name })}>
      <FileDrop invitation={t('import_drop')} onFiles={([one]) => setFile(one)}>
        <EmptyState
          icon={<FileSpreadsheet aria-hidden />}
          title={t('import_choose')}
          actions={
            <Button tone="primary" onClick={pick}>
              {t('import_pick')}
            </Button>
          }
        >
          {t('import_hint')}
        </EmptyState>
      </FileDrop>
    </Dialog>
  );
}

function ChosenFile({ table, file, onClose }: ImportDialogProps & { file: File }) {
  const t = useDataTablesTexts();
  const ui = useTranslations('ui');
  const preview = useQuery({
    queryKey: ['data-csv', table.id, file.name, file.lastModified, file.size],
    queryFn: () => previewCsv(table.id, file),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [chosen, setChosen] = useState<Mapping>();
  const mapping = chosen ?? (preview.data ? matched(preview.data) : {});
  const [share, setShare] = useState(0);
  const send = useImportCsv(table.id);
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const start = () => {
    control.current = new AbortController();
    const named = Object.fromEntries(
      Object.entries(mapping).map(([header, name]) => [header, name === '' ? null : name]),
    );
    send.mutate({ file, mapping: named, signal: control.current.signal, onProgress: setShare });
  };
  const used = Object.values(mapping).filter((name) => name !== '');
  const isDouble = new Set(used).size < used.length;
  return (
    <Dialog
      open
      size="large"
      sticky={send.isPending}
      onOpenChange={onClose}
      title={t('import_title', { name: table.name })}
      description={file.name}
      footer={
        send.isSuccess ? (
          <Button tone="primary" onClick={onClose}>
            {ui('close')}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{ui('cancel')}</Button>
            <Button
              tone="primary"
              busy={send.isPending}
              disabled={!preview.data || used.length === 0 || isDouble}
              onClick={start}
            >
              {t('import')}
            </Button>
          </>
        )
      }
    >
      <FormProblem
        text={preview.error?.message ?? send.error?.message ?? (isDouble ? t('import_double') : undefined)}
      />
      {send.isSuccess ? (
        <Outcome result={send.data} />
      ) : send.isPending ? (
        <div className="flex flex-col gap-2 py-4">
          <ProgressBar label={t('import_progress')} share={share} className="w-full" />
          <p className="text-sm text-soft" aria-live="polite">
            {share < 1 ? t('import_sent', { percent: Math.round(share * 100) }) : t('import_finishing')}
          </p>
        </div>
      ) : preview.data ? (
        <Preview table={table} preview={preview.data} mapping={mapping} onMapping={setChosen} />
      ) : preview.isPending ? (
        <SkeletonRows rows={4} />
      ) : null}
    </Dialog>
  );
}

interface PreviewProps {
  table: DataTable;
  preview: DataCsvPreview;
  mapping: Mapping;
  onMapping: (mapping: Mapping) => void;
}

function Preview({ table, preview, mapping, onMapping }: PreviewProps) {
  const t = useDataTablesTexts();
  const choices = [
    { value: '', label: t('import_skip') },
    ...table.columns.map(({ name }) => ({ value: name, label: name })),
  ];
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reached by keyboard
    <div role="region" aria-label={t('import_preview')} tabIndex={0} className="overflow-x-auto">
      <table className="w-full border-collapse text-left text-sm">
        <thead>
          <tr>
            {preview.headers.map(({ header }, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- headers may be alike and never move
              <th key={at} scope="col" className="min-w-40 border-b border-line p-2 align-bottom font-medium">
                <span className="block truncate pb-1">{header}</span>
                <Select
                  size="small"
                  aria-label={t('import_column', { header })}
                  value={mapping[header] ?? ''}
                  choices={choices}
                  className={mapping[header] ? '!border-success-line' : '!border-warning-line'}
                  onChange={(name) => onMapping({ ...mapping, [header]: name })}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {preview.rows.map((row, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines of a file never move
            <tr key={at} className="border-b border-line">
              {preview.headers.map(({ header }, place) => (
                // oxlint-disable-next-line react/no-array-index-key -- headers may be alike and never move
                <td
                  key={place}
                  className={mapping[header] ? 'max-w-60 truncate p-2' : 'max-w-60 truncate p-2 text-faint'}
                >
                  {row[place]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const SHOWN = 50;

function Outcome({ result }: { result: DataImport }) {
  const t = useDataTablesTexts();
  const left = result.total - result.imported;
  return (
    <div className="flex flex-col gap-3">
      <p role="status">{t('import_done', { count: result.imported })}</p>
      {left > 0 ? (
        <>
          <p className="text-warning">{t('import_left', { count: left })}</p>
          <ul className="max-h-60 overflow-y-auto text-sm">
            {result.errors.slice(0, SHOWN).map(({ row, errors }) => (
              <li key={row} className="border-b border-line py-1">
                {t('import_row', { row, problems: errors.join('; ') })}
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  );
}
