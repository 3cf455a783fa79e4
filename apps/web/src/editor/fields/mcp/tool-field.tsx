import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { ApiError } from '../../../data/api.ts';
import { useMcpTools } from '../../../data/mcp-tools.ts';
import { useDocument } from '../../../features/document/context.ts';
import { selectedNode } from '../../../features/document/store.ts';
import { toText } from '../../../lib/json/to-text.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { ChoiceRow, ChoiceSearch, NOTHING_FOUND } from '../../../ui/forms/choice-search.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { usePanelTexts } from '../../panel/texts/use-panel-texts.ts';
import { ChoicePopover } from '../choice-popover.tsx';
import { ExpressionInput } from '../expression/expression-input.tsx';
import type { ParameterFieldProps } from '../parameter-field-props.ts';
import { connectionIn } from './tools.ts';

/** The name of a tool: written, an expression, or chosen from what the server has. */
export function ToolField({ node_id, meta, value, problem, onChange, onBlur }: ParameterFieldProps) {
  const t = usePanelTexts('fields');
  const node = useDocument(selectedNode);
  const known = connectionIn(node?.data ?? {}) !== undefined;
  const text = toText(value);
  return (
    <Field
      label={meta.title}
      hint={meta.help}
      error={problem}
      aside={
        <ChoicePopover label={meta.title} unavailable={known ? undefined : t('mcp_tools_need')}>
          {(close) => (
            <ToolChoices
              label={meta.title}
              chosen={text}
              onChoose={(name) => {
                close();
                onChange(name);
              }}
            />
          )}
        </ChoicePopover>
      }
    >
      {(control) => (
        <ExpressionInput
          node_id={node_id}
          label={meta.title}
          value={text}
          mode={meta.mode}
          described_by={control['aria-describedby']}
          invalid={problem !== undefined}
          onChange={onChange}
          onBlur={onBlur}
        />
      )}
    </Field>
  );
}

interface ToolChoicesProps {
  label: string;
  chosen: string;
  onChoose: (name: string) => void;
}

function ToolChoices({ label, chosen, onChoose }: ToolChoicesProps) {
  const t = usePanelTexts('fields');
  const ui = useTranslations('ui');
  const node = useDocument(selectedNode);
  const [words, setWords] = useState('');
  const tools = useMcpTools(connectionIn(node?.data ?? {}), true);
  const wanted = words.trim().toLowerCase();
  const found = (tools.data ?? []).filter(({ name, title = '', description }) =>
    [name, title, description].some((part) => part.toLowerCase().includes(wanted)),
  );
  return (
    <ChoiceSearch
      label={label}
      words={words}
      onWords={setWords}
      busy={tools.isFetching}
      notice={
        tools.isError ? (
          <div role="alert" className="flex flex-col items-start gap-2 px-2 py-3 text-sm">
            <p className="text-danger">{describeRefusal(tools.error)}</p>
            <Button size="small" onClick={() => void tools.refetch()}>
              {t('mcp_again')}
            </Button>
          </div>
        ) : null
      }
    >
      {tools.isPending ? (
        <p role="status" className={NOTHING_FOUND}>
          {t('mcp_loading')}
        </p>
      ) : null}
      {tools.isSuccess && found.length === 0 ? (
        <p role="status" className={NOTHING_FOUND}>
          {wanted === '' ? t('mcp_no_tools') : ui('nothing_found')}
        </p>
      ) : null}
      {found.map(({ name, description }) => (
        <ChoiceRow
          key={name}
          id={name}
          label={name}
          hint={description}
          chosen={name === chosen}
          onChoose={() => onChoose(name)}
        />
      ))}
    </ChoiceSearch>
  );
}

/** The refusal by the server or the service, without the name of the field: the form has it. */
function describeRefusal(error: Error): string {
  const detail = error instanceof ApiError ? error.body?.detail : undefined;
  return Array.isArray(detail) ? detail.map(({ msg }) => msg).join('; ') : error.message;
}
