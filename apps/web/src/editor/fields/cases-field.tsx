import { useTranslations } from 'use-intl';
import { Input } from '../../ui/forms/input.tsx';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { RowList } from './row-list.tsx';
import { caseRows } from './rows.ts';

export function CasesField({ meta, value, problem, row_problems, onChange, onBlur }: ParameterFieldProps) {
  const t = useTranslations('editor.fields');
  return (
    <RowList
      title={meta.title}
      help={meta.help}
      problem={problem}
      row_problems={row_problems}
      rows={caseRows(value)}
      empty=""
      onChange={onChange}
      draw={(row, index, change) => (
        <Input
          aria-label={t('case_of_row', { row: index + 1 })}
          value={row}
          onChange={(event) => change(event.target.value)}
          onBlur={onBlur}
        />
      )}
    />
  );
}
