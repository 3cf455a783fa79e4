import {
  DATA_COLUMN_TYPES,
  type DataColumnType,
  type DataCsvPreview,
  type DataImport,
  type DataTable,
} from '@millrace/contracts';
import { useQuery } from '@tanstack/react-query';
import { FileSpreadsheet } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { previewCsv, useImportCsv, useSaveDataTable } from '../../data/data-tables.ts';
import { Button } from '../../ui/actions/button.tsx';
import { EmptyState } from '../../ui/display/empty-state.tsx';
import { ProgressBar } from '../../ui/display/progress-bar.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { FileDrop, pickFiles } from '../../ui/forms/file-drop.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { guessColumns } from './csv-columns.ts';
import { useDataTablesTexts } from './texts/use-data-tables-texts.ts';

interface ImportDialogProps {
  table: DataTable;
  onClose: () => void;
}

/** Columns by header; an empty name leaves the header out. */
type Mapping = Record<string, string>;

const matched = ({ headers }: DataCsvPreview): Mapping =>
  Object.fromEntries(headers.map(({ header, column }) => [header, column ?? '']));

const isType = (text: string): text is DataColumnType => DATA_COLUMN_TYPES.some((type) => type === text);

/** The columns that a table without any is to have: the headers that were given a type. */
const toColumns = (types: Mapping) =>
  Object.entries(types).flatMap(([name, type], order) =>
    isType(type) ? [{ name, type, required: false, unique: false, defaultValue: null, order }] : [],
  );

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
  // A table without columns gets those of the file, and then each header is given a type instead of a column.
  const [makesColumns] = useState(table.columns.length === 0);
  const mapping = chosen ?? (preview.data ? (makesColumns ? guessColumns : matched)(preview.data) : {});
  const choices = useChoices(table, makesColumns);
  const [share, setShare] = useState(0);
  const send = useImportCsv(table.id);
  const save = useSaveDataTable(table.id);
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const start = async () => {
    control.current = new AbortController();
    if (makesColumns) {
      const { name, description } = table;
      // A second attempt finds the columns that the first one made, and makes them as they are chosen now.
      await save.mutateAsync({ name, description: description ?? '', columns: toColumns(mapping) });
    }
    const named = Object.fromEntries(
      Object.entries(mapping).map(([header, name]) => [
        header,
        name === '' ? null : makesColumns ? header : name,
      ]),
    );
    send.mutate({ file, mapping: named, signal: control.current.signal, onProgress: setShare });
  };
  const used = Object.values(mapping).filter((name) => name !== '');
  const isDouble = !makesColumns && new Set(used).size < used.length;
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
              busy={save.isPending || send.isPending}
              disabled={!preview.data || used.length === 0 || isDouble}
              // The failure is shown in the dialog.
              onClick={() => void start().catch(() => undefined)}
            >
              {t('import')}
            </Button>
          </>
        )
      }
    >
      <FormProblem
        text={
          preview.error?.message ??
          save.error?.message ??
          send.error?.message ??
          (isDouble ? t('import_double') : undefined)
        }
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
        <>
          {makesColumns ? <p className="pb-2 text-sm text-soft">{t('import_columns_hint')}</p> : null}
          <Preview choices={choices} preview={preview.data} mapping={mapping} onMapping={setChosen} />
        </>
      ) : preview.isPending ? (
        <SkeletonRows rows={4} />
      ) : null}
    </Dialog>
  );
}

/** Columns of the table, or types of columns that are to be made. */
function useChoices(table: DataTable, makesColumns: boolean): PreviewProps['choices'] {
  const t = useDataTablesTexts();
  return makesColumns
    ? DATA_COLUMN_TYPES.map((type) => ({ value: type, label: t(`type_${type}`) }))
    : table.columns.map(({ name }) => ({ value: name, label: name }));
}

interface PreviewProps {
  /** Columns of the table, or types of columns that are to be made. */
  choices: readonly { value: string; label: string }[];
  preview: DataCsvPreview;
  mapping: Mapping;
  onMapping: (mapping: Mapping) => void;
}

function Preview({ choices: offered, preview, mapping, onMapping }: PreviewProps) {
  const t = useDataTablesTexts();
  const choices = [{ value: '', label: t('import_skip') }, ...offered];
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
