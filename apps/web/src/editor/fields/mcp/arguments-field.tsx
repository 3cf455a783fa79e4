import { isJsonObject, type Json } from '@millrace/engine';
import { Trash2 } from 'lucide-react';
import { useMcpTools } from '../../../data/mcp-tools.ts';
import { useDocument } from '../../../features/document/context.ts';
import { selectedNode } from '../../../features/document/store.ts';
import { toText } from '../../../lib/json/to-text.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { IconButton } from '../../../ui/actions/icon-button.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { usePanelTexts } from '../../panel/texts/use-panel-texts.ts';
import { ExpressionInput } from '../expression/expression-input.tsx';
import { ExpressionPreview } from '../expression/expression-preview.tsx';
import type { ParameterFieldProps } from '../parameter-field-props.ts';
import { connectionIn, listArguments, type ToolArgument } from './tools.ts';

/** A field for each argument that the chosen tool takes. */
export function ArgumentsField({ node_id, meta, value, problem, onChange, onBlur }: ParameterFieldProps) {
  const t = usePanelTexts('fields');
  const data = useDocument(selectedNode)?.data ?? {};
  const name = toText(data['selectedTool']).trim();
  const isNamed = name !== '' && !name.includes('$');
  const tools = useMcpTools(connectionIn(data), isNamed);
  const tool = tools.data?.find((one) => one.name === name);
  const stored = isJsonObject(value) ? value : {};
  const rows = listArguments(tool, stored);
  const set = (argument: string, text: string | undefined) => {
    const { [argument]: _former, ...others } = stored;
    // Without a value it is left out, so that the tool takes its own default.
    onChange(text === undefined || text === '' ? others : { ...stored, [argument]: text });
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">{meta.title}</legend>
      {tools.isLoading ? (
        <p role="status" className="text-sm text-soft">
          {t('mcp_loading')}
        </p>
      ) : null}
      {isNamed && tools.isError ? (
        <div role="alert" className="flex flex-col items-start gap-1 text-sm">
          <p className="text-danger">{tools.error.message}</p>
          <Button size="small" onClick={() => void tools.refetch()}>
            {t('mcp_again')}
          </Button>
        </div>
      ) : null}
      {isNamed && tools.isSuccess && !tool ? (
        <p className="text-sm text-danger">{t('mcp_unknown_tool')}</p>
      ) : null}
      {tool && rows.length === 0 ? <p className="text-sm text-soft">{t('mcp_no_arguments')}</p> : null}
      {rows.map((argument) => (
        <ArgumentField
          key={argument.name}
          node_id={node_id}
          argument={argument}
          value={stored[argument.name]}
          onChange={(text) => set(argument.name, text)}
          onBlur={onBlur}
        />
      ))}
      {problem ? <p className="text-sm text-danger">{problem}</p> : null}
      {meta.help ? <p className="text-sm text-faint">{meta.help}</p> : null}
    </fieldset>
  );
}

interface ArgumentFieldProps {
  node_id: string;
  argument: ToolArgument;
  value: Json | undefined;
  onChange: (text: string | undefined) => void;
  onBlur: () => void;
}

function ArgumentField({ node_id, argument, value, onChange, onBlur }: ArgumentFieldProps) {
  const t = usePanelTexts('fields');
  const { name, description, types, choices, required, known } = argument;
  const text = toText(value);
  const hints = [description, choices.length > 0 ? t('mcp_one_of', { values: choices.join(', ') }) : ''];
  return (
    <Field
      label={name}
      hint={hints.filter((hint) => hint !== '').join(' ') || undefined}
      error={known ? undefined : t('mcp_unknown_argument')}
      aside={
        known ? (
          [types, required ? t('mcp_required') : ''].filter((part) => part !== '').join(' · ')
        ) : (
          <IconButton
            label={t('mcp_remove', { name })}
            icon={<Trash2 />}
            onClick={() => onChange(undefined)}
          />
        )
      }
    >
      {(control) => (
        <div className="flex flex-col gap-1">
          <ExpressionInput
            node_id={node_id}
            label={name}
            value={text}
            mode="template"
            described_by={control['aria-describedby']}
            onChange={onChange}
            onBlur={onBlur}
          />
          <ExpressionPreview node_id={node_id} text={text} mode="template" />
        </div>
      )}
    </Field>
  );
}
