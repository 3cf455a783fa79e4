import { caseRows } from '../../lib/graph/rows.ts';
import { Input } from '../../ui/forms/input.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { ParameterRows } from './row-list.tsx';

export function CasesField(props: ParameterFieldProps) {
  const { value, onBlur } = props;
  const t = usePanelTexts('fields');
  return (
    <ParameterRows
      field={props}
      rows={caseRows(value)}
      empty=""
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
