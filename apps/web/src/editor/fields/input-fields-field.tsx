import { FIELD_TYPES, type FieldType } from '@millrace/contracts/portal-input';
import { useState } from 'react';
import { type InputFieldRow, inputFieldRows } from '../../lib/graph/rows.ts';
import { toText } from '../../lib/json/to-text.ts';
import { Input, type InputProps } from '../../ui/forms/input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Checkbox } from '../../ui/forms/toggles.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import { optionsText, parseDefault, parseOptions, withValue } from './input-field-values.ts';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { ParameterRows } from './row-list.tsx';

const readFieldType = (row: InputFieldRow): FieldType | '' =>
  FIELD_TYPES.find((type) => type === row['type']) ?? '';

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

interface ReadInputProps extends Omit<InputProps, 'value' | 'onChange'> {
  /** The text of what is stored. */
  text: string;
  /** The text of what a typed one is stored as. */
  readAs: (typed: string) => string;
  onType: (typed: string) => void;
}

/** A text that is read as it is typed. It stays as it was typed, such as `1.` on the way to `1.5`, while it reads as what is stored. */
function ReadInput({ text, readAs, onType, ...input }: ReadInputProps) {
  const [typed, setTyped] = useState(text);
  return (
    <Input
      {...input}
      value={readAs(typed) === text ? typed : text}
      onChange={(event) => {
        setTyped(event.target.value);
        onType(event.target.value);
      }}
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
  const type = readFieldType(row);
  const number = { row: index + 1 };
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
        <ReadInput
          aria-label={t('default_of_row', number)}
          placeholder={t('default')}
          text={toText(row['defaultValue'])}
          readAs={(typed) => toText(parseDefault(type, typed))}
          onType={(typed) => change(withValue(row, 'defaultValue', parseDefault(type, typed)))}
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
        onChange={(required) => change(withValue(row, 'required', required || ''))}
      />
      {type === 'choice' ? (
        <ReadInput
          className="col-span-2"
          aria-label={t('options_of_row', number)}
          placeholder={t('options')}
          text={optionsText(row['options'])}
          readAs={(typed) => parseOptions(typed).join(', ')}
          onType={(typed) => change(withValue(row, 'options', parseOptions(typed)))}
          onBlur={onBlur}
        />
      ) : null}
      {type === '' ? null : (
        <Input
          className="col-span-2"
          aria-label={t('label_of_row', number)}
          placeholder={t('label_in_chat')}
          value={toText(row['label'])}
          onChange={(event) => change(withValue(row, 'label', event.target.value))}
          onBlur={onBlur}
        />
      )}
    </div>
  );
}
