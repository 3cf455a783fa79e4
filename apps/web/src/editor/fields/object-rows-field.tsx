import { type FieldMeta, isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ComponentType } from 'react';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { ParameterRows } from './row-list.tsx';

interface ObjectRowsFieldProps extends ParameterFieldProps {
  /** Draws one field of a row; handed in, because it may be a list again. */
  Draw: ComponentType<ParameterFieldProps>;
}

/** A list of objects in an order that counts, such as the steps of a browser. Fields depend on others of the same row. */
export function ObjectRowsField({ Draw, ...props }: ObjectRowsFieldProps) {
  const t = usePanelTexts('fields');
  const { name, meta, value, onChange } = props;
  const fields = Object.entries(meta.row_fields ?? {});
  const rows = Array.isArray(value) ? value.filter(isJsonObject) : [];
  const move = (index: number, by: 1 | -1) => {
    const moved = [...rows];
    moved.splice(index + by, 0, ...moved.splice(index, 1));
    onChange(moved);
  };
  return (
    <ParameterRows
      field={props}
      rows={rows}
      empty={newRow(fields)}
      draw={(row, index, change) => (
        <fieldset
          aria-label={t('row', { row: index + 1 })}
          className="flex min-w-0 flex-col gap-2 rounded-m border border-line p-2"
        >
          <div className="flex items-center gap-1">
            <span className="grow text-sm text-soft">{t('row', { row: index + 1 })}</span>
            <IconButton
              label={t('move_row_up', { row: index + 1 })}
              icon={<ArrowUp aria-hidden />}
              size="small"
              disabled={index === 0}
              onClick={() => move(index, -1)}
            />
            <IconButton
              label={t('move_row_down', { row: index + 1 })}
              icon={<ArrowDown aria-hidden />}
              size="small"
              disabled={index === rows.length - 1}
              onClick={() => move(index, 1)}
            />
          </div>
          {fields
            .filter(([, field]) => isShownIn(row, field, meta.row_fields))
            .map(([key, field]) => (
              <Draw
                key={key}
                {...props}
                name={`${name}.${index}.${key}`}
                meta={field}
                value={row[key]}
                fallback={firstChoice(field)}
                problem={undefined}
                row={row}
                onChange={(next) => change(withValue(row, key, next))}
              />
            ))}
        </fieldset>
      )}
    />
  );
}

type Fields = readonly (readonly [string, FieldMeta])[];

/** The value that a run takes where a choice is left out. */
const firstChoice = (field: FieldMeta | undefined): string | undefined =>
  field?.kind === 'choice' ? field.choices?.[0]?.value : undefined;

const newRow = (fields: Fields): JsonObject =>
  Object.fromEntries(
    fields.flatMap(([key, field]) => {
      const value = firstChoice(field);
      return value === undefined ? [] : [[key, value]];
    }),
  );

const isShownIn = (
  row: JsonObject,
  { kind, shown_when = [] }: FieldMeta,
  fields: FieldMeta['row_fields'] = {},
): boolean =>
  kind !== 'hidden' &&
  shown_when.every(({ field, is }) => is.includes(row[field] ?? firstChoice(fields[field])));

function withValue(row: JsonObject, key: string, value: Json | undefined): JsonObject {
  const { [key]: _former, ...others } = row;
  return value === undefined ? others : { ...row, [key]: value };
}
