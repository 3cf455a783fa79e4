import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { toText } from '../../../lib/json/to-text.ts';
import { Field } from '../../../ui/forms/field.tsx';
import { Input } from '../../../ui/forms/input.tsx';
import { usePanelTexts } from '../../panel/texts/use-panel-texts.ts';
import { CredentialField } from '../credential-field.tsx';
import type { ParameterFieldProps } from '../parameter-field-props.ts';
import { ParameterRows } from '../row-list.tsx';
import { ConnectionField } from './connection-field.tsx';

const EMPTY: JsonObject = { transport: 'streamable_http', label: '', url: '' };

const toRows = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/** Any number of servers, each with a name, a credential or an address with headers, and a time limit. */
export function ConnectionsField(props: ParameterFieldProps) {
  const t = usePanelTexts('fields');
  const { meta, value, onBlur } = props;
  return (
    <ParameterRows
      field={props}
      rows={toRows(value)}
      empty={EMPTY}
      draw={(row, index, change) => (
        <div className="flex flex-col gap-2 rounded-m border border-line p-2">
          <Field label={t('mcp_label')}>
            {(control) => (
              <Input
                {...control}
                value={toText(row['label'])}
                onChange={(event) => change({ ...row, label: event.target.value })}
                onBlur={onBlur}
              />
            )}
          </Field>
          <CredentialField
            {...props}
            meta={{
              ...meta,
              title: t('mcp_credential', { row: index + 1 }),
              help: t('mcp_credential_help'),
              credential_types: ['mcp'],
            }}
            value={row['credentialId']}
            problem={undefined}
            onChange={(next) => change(withCredential(row, toText(next)))}
          />
          {toText(row['credentialId']) === '' ? (
            <ConnectionField
              {...props}
              meta={{ ...meta, title: t('mcp_server_row', { row: index + 1 }) }}
              value={row}
              problem={undefined}
              onChange={(next) => change(isJsonObject(next) ? next : row)}
            />
          ) : null}
          <Field label={t('mcp_timeout')}>
            {(control) => (
              <Input
                {...control}
                inputMode="numeric"
                placeholder="30"
                value={toText(row['timeoutSeconds'])}
                onChange={(event) => change(withTimeout(row, event.target.value))}
                onBlur={onBlur}
              />
            )}
          </Field>
        </div>
      )}
    />
  );
}

function withCredential({ credentialId: _former, ...row }: JsonObject, id: string): JsonObject {
  return id === '' ? row : { ...row, credentialId: id };
}

function withTimeout({ timeoutSeconds: _former, ...row }: JsonObject, text: string): JsonObject {
  if (text.trim() === '') return row;
  const seconds = Number(text);
  return { ...row, timeoutSeconds: Number.isFinite(seconds) ? seconds : text };
}
