import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { useState } from 'react';
import { Field } from '../../../ui/forms/field.tsx';
import { Input } from '../../../ui/forms/input.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { usePanelTexts } from '../../panel/texts/use-panel-texts.ts';
import { ExpressionInput } from '../expression/expression-input.tsx';
import type { ParameterFieldProps } from '../parameter-field-props.ts';
import { RowList } from '../row-list.tsx';
import { textOf } from '../rows.ts';

const TRANSPORTS = [
  { value: 'streamable_http', label: 'Streamable HTTP' },
  { value: 'sse', label: 'SSE' },
];

interface HeaderRow {
  readonly name: string;
  readonly value: string;
}

/** Headers are stored as an object, or as its JSON text in exports. */
function storedHeaders(value: Json | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  try {
    const parsed: unknown = JSON.parse(textOf(value));
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

const rowsOf = (headers: JsonObject): HeaderRow[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value: textOf(value) }));

const objectOf = (rows: readonly HeaderRow[]): JsonObject =>
  Object.fromEntries(rows.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name, value]));

/** Address and headers of a server that no credential holds. */
export function ConnectionField({ node_id, meta, value, problem, onChange, onBlur }: ParameterFieldProps) {
  const t = usePanelTexts('fields');
  const connection = isJsonObject(value) ? value : {};
  const transport = textOf(connection['transport']);
  const headers = storedHeaders(connection['headers']);
  const [rows, setRows] = useState(() => rowsOf(headers));
  // A row without a name is not stored; what is changed elsewhere, such as by undo, replaces the rows.
  if (JSON.stringify(objectOf(rows)) !== JSON.stringify(objectOf(rowsOf(headers)))) setRows(rowsOf(headers));
  const change = (part: JsonObject) => onChange({ ...connection, ...part });
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">{meta.title}</legend>
      <Field label={t('mcp_transport')} error={transport === 'stdio' ? t('mcp_sandbox') : undefined}>
        {(control) => (
          <Select
            {...control}
            value={transport === 'sse' || transport === 'stdio' ? transport : 'streamable_http'}
            choices={transport === 'stdio' ? [...TRANSPORTS, { value: 'stdio', label: 'stdio' }] : TRANSPORTS}
            onChange={(next) => change({ transport: next })}
          />
        )}
      </Field>
      <Field label={t('mcp_url')} error={problem}>
        {(control) => (
          <ExpressionInput
            node_id={node_id}
            label={t('mcp_url')}
            value={textOf(connection['url'])}
            mode="prompt"
            placeholder="https://example.com/mcp"
            described_by={control['aria-describedby']}
            invalid={problem !== undefined}
            onChange={(url) => change({ url })}
            onBlur={onBlur}
          />
        )}
      </Field>
      <RowList
        title={t('mcp_header')}
        rows={rows}
        empty={{ name: '', value: '' }}
        onChange={(next) => {
          setRows(next);
          change({ headers: objectOf(next) });
        }}
        draw={(row, index, set) => (
          <div className="flex flex-col gap-1">
            <Input
              aria-label={t('key_of_row', { row: index + 1 })}
              placeholder={t('key')}
              value={row.name}
              onChange={(event) => set({ ...row, name: event.target.value })}
              onBlur={onBlur}
            />
            <ExpressionInput
              node_id={node_id}
              label={t('value_of_row', { row: index + 1 })}
              placeholder={t('value')}
              value={row.value}
              mode="prompt"
              onChange={(text) => set({ ...row, value: text })}
              onBlur={onBlur}
            />
          </div>
        )}
      />
    </fieldset>
  );
}
