import type { PartRow } from '@millrace/nodes/curl-form';
import { Input } from '../../../ui/forms/input.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { RowList } from '../row-list.tsx';
import type { FieldContext } from './field-context.ts';
import { NamedValue } from './named-value.tsx';
import { EMPTY_PART } from './switch-body.ts';
import { useHttpTexts } from './texts/use-http-texts.ts';

/** Of an upload trigger. */
export const FILE_EXAMPLE = '$upload.file';

interface PartRowsProps {
  context: FieldContext;
  rows: readonly PartRow[];
  onChange: (rows: PartRow[]) => void;
}

/** The fields of a form whose values are texts or files. */
export function PartRows({ context, rows, onChange }: PartRowsProps) {
  const t = useHttpTexts();
  return (
    <RowList
      title={t('fields')}
      rows={rows}
      empty={EMPTY_PART}
      onChange={onChange}
      draw={(part, index, change) => <Part context={context} part={part} row={index + 1} onChange={change} />}
    />
  );
}

interface PartProps {
  context: FieldContext;
  part: PartRow;
  row: number;
  onChange: (part: PartRow) => void;
}

function Part({ context, part, row, onChange }: PartProps) {
  const t = useHttpTexts();
  const plain = (key: 'filename' | 'type', label: string, placeholder: string) => (
    <Input
      mono
      aria-label={label}
      placeholder={placeholder}
      value={part[key]}
      onChange={(event) => onChange({ ...part, [key]: event.target.value })}
      onBlur={context.onBlur}
    />
  );
  return (
    <NamedValue
      context={context}
      row={part}
      labels={{
        name: t('field_name', { row }),
        value: part.is_file ? t('field_sent_file', { row }) : t('field_value', { row }),
      }}
      {...(part.is_file ? { placeholder: FILE_EXAMPLE } : {})}
      onChange={(changed) => onChange({ ...part, ...changed })}
    >
      <div className="grid grid-cols-[auto_minmax(0,1fr)_minmax(0,1fr)] gap-1">
        <Select
          fit
          aria-label={t('field_kind', { row })}
          value={part.is_file ? 'file' : 'text'}
          choices={[
            { value: 'text', label: t('part_kind.text') },
            { value: 'file', label: t('part_kind.file') },
          ]}
          onChange={(kind) => onChange({ ...part, is_file: kind === 'file' })}
        />
        {plain('filename', t('field_file', { row }), t('file_name'))}
        {plain('type', t('field_type', { row }), t('type'))}
      </div>
    </NamedValue>
  );
}
