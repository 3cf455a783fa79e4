import { FIELD_TYPES, type FieldType } from '@millrace/contracts/portal-input';
import type { Json } from '@millrace/engine';
import { Input } from '../../ui/forms/input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Checkbox } from '../../ui/forms/toggles.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { ParameterRows } from './row-list.tsx';
import { type InputFieldRow, inputFieldRows, textOf } from './rows.ts';

const typeOf = (row: InputFieldRow): FieldType | '' => FIELD_TYPES.find((type) => type === row['type']) ?? '';

/** The row with one of its values changed; an empty one goes. */
function withValue(row: InputFieldRow, name: string, value: Json): InputFieldRow {
  const { [name]: _, ...rest } = row;
  const isEmpty = value === '' || value === false || (Array.isArray(value) && value.length === 0);
  return isEmpty ? { ...rest, key: row.key } : { ...row, [name]: value };
}

/** Values that are not texts are typed as JSON writes them, so that a number stays one. */
function defaultOf(type: FieldType | '', text: string): Json {
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  return type === 'boolean' ? text === 'true' : text;
}

const optionsOf = (text: string): string[] =>
  text
    .split(',')
    .map((option) => option.trim())
    .filter((option) => option !== '');

export function InputFieldsField(props: ParameterFieldProps) {
  const { value, onBlur } = props;
  return (
    <ParameterRows<InputFieldRow>
      field={props}
      rows={inputFieldRows(value)}
      empty={{ key: '' }}
      draw={(row, index, change) => <FieldRow {...{ row, index, change, onBlur }} />}
    />
  );
}

interface FieldRowProps {
  row: InputFieldRow;
  index: number;
  change: (row: InputFieldRow) => void;
  onBlur: () => void;
}

/** A name that callers send, and how the chat of a portal asks for its value. */
function FieldRow({ row, index, change, onBlur }: FieldRowProps) {
  const t = usePanelTexts('fields');
  const type = typeOf(row);
  const number = { row: index + 1 };
  const options = Array.isArray(row['options']) ? row['options'].map(textOf).join(', ') : '';
  return (
    <div className="grid grid-cols-2 gap-1.5">
      <Input
        mono
        aria-label={t('key_of_row', number)}
        placeholder={t('key')}
        value={row.key}
        onChange={(event) => change({ ...row, key: event.target.value })}
        onBlur={onBlur}
      />
      {type === 'file' ? (
        <span />
      ) : (
        <Input
          aria-label={t('default_of_row', number)}
          placeholder={t('default')}
          value={textOf(row['defaultValue'])}
          onChange={(event) => change(withValue(row, 'defaultValue', defaultOf(type, event.target.value)))}
          onBlur={onBlur}
        />
      )}
      <Select
        size="small"
        aria-label={t('type_of_row', number)}
        value={type}
        onChange={(next) => change(withValue(row, 'type', next))}
        choices={['' as const, ...FIELD_TYPES].map((name) => ({
          value: name,
          label: t(`type.${name || 'none'}`),
        }))}
      />
      <Checkbox
        label={t('required')}
        checked={row['required'] === true}
        onChange={(required) => change(withValue(row, 'required', required))}
      />
      {type === 'choice' ? (
        <Input
          className="col-span-2"
          aria-label={t('options_of_row', number)}
          placeholder={t('options')}
          // Commas are typed before what follows them, so the text is read when it is complete.
          defaultValue={options}
          onBlur={(event) => {
            change(withValue(row, 'options', optionsOf(event.target.value)));
            onBlur();
          }}
        />
      ) : null}
      {type === '' ? null : (
        <Input
          className="col-span-2"
          aria-label={t('label_of_row', number)}
          placeholder={t('label_in_chat')}
          value={textOf(row['label'])}
          onChange={(event) => change(withValue(row, 'label', event.target.value))}
          onBlur={onBlur}
        />
      )}
    </div>
  );
}
