import { Input } from '../../ui/forms/input.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { ParameterRows } from './row-list.tsx';
import { type InputFieldRow, inputFieldRows, textOf } from './rows.ts';

export function InputFieldsField(props: ParameterFieldProps) {
  const { value, onBlur } = props;
  const t = usePanelTexts('fields');
  return (
    <ParameterRows<InputFieldRow>
      field={props}
      rows={inputFieldRows(value)}
      empty={{ key: '' }}
      draw={(row, index, change) => (
        <div className="grid grid-cols-2 gap-1.5">
          <Input
            mono
            aria-label={t('key_of_row', { row: index + 1 })}
            placeholder={t('key')}
            value={row.key}
            onChange={(event) => change({ ...row, key: event.target.value })}
            onBlur={onBlur}
          />
          <Input
            aria-label={t('default_of_row', { row: index + 1 })}
            placeholder={t('default')}
            value={textOf(row['defaultValue'])}
            onChange={(event) => {
              const { defaultValue: _, ...rest } = row;
              change(
                event.target.value === ''
                  ? { ...rest, key: row.key }
                  : { ...row, defaultValue: event.target.value },
              );
            }}
            onBlur={onBlur}
          />
        </div>
      )}
    />
  );
}
