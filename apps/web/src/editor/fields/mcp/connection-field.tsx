import { isJsonObject, type JsonObject } from '@millrace/engine';
import { toText } from '../../../lib/json/to-text.ts';
import { Field } from '../../../ui/forms/field.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { usePanelTexts } from '../../panel/texts/use-panel-texts.ts';
import { ExpressionInput } from '../expression/expression-input.tsx';
import type { ParameterFieldProps } from '../parameter-field-props.ts';
import { PairRows } from './pair-rows.tsx';
import { ProgramFields } from './program-fields.tsx';

/** Address and headers of a server that no credential holds, or the program that it is. */
export function ConnectionField({ node_id, meta, value, problem, onChange, onBlur }: ParameterFieldProps) {
  const t = usePanelTexts('fields');
  const connection = isJsonObject(value) ? value : {};
  const transport = toText(connection['transport']);
  const isProgram = transport === 'stdio';
  const change = (part: JsonObject) => onChange({ ...connection, ...part });
  const shared = { node_id, onBlur };
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">{meta.title}</legend>
      <Field label={t('mcp_transport')}>
        {(control) => (
          <Select
            {...control}
            value={isProgram || transport === 'sse' ? transport : 'streamable_http'}
            choices={[
              { value: 'streamable_http', label: 'Streamable HTTP' },
              { value: 'sse', label: 'SSE' },
              { value: 'stdio', label: t('mcp_program') },
            ]}
            onChange={(next) => change({ transport: next })}
          />
        )}
      </Field>
      {isProgram ? (
        <ProgramFields {...shared} connection={connection} problem={problem} onChange={change} />
      ) : (
        <>
          <Field label={t('mcp_url')} error={problem}>
            {(control) => (
              <ExpressionInput
                {...shared}
                label={t('mcp_url')}
                value={toText(connection['url'])}
                mode="prompt"
                placeholder="https://example.com/mcp"
                described_by={control['aria-describedby']}
                invalid={problem !== undefined}
                onChange={(url) => change({ url })}
              />
            )}
          </Field>
          <PairRows
            {...shared}
            title={t('mcp_header')}
            value={connection['headers']}
            onChange={(headers) => change({ headers })}
          />
        </>
      )}
    </fieldset>
  );
}
