import type { JsonObject } from '@millrace/engine';
import { toText } from '../../../lib/json/to-text.ts';
import { Field } from '../../../ui/forms/field.tsx';
import { TextArea } from '../../../ui/forms/input.tsx';
import { Switch } from '../../../ui/forms/toggles.tsx';
import { usePanelTexts } from '../../panel/texts/use-panel-texts.ts';
import { ExpressionInput } from '../expression/expression-input.tsx';
import { PairRows } from './pair-rows.tsx';

interface ProgramFieldsProps {
  node_id: string;
  connection: JsonObject;
  problem: string | undefined;
  onChange: (part: JsonObject) => void;
  onBlur: () => void;
}

/** The program that is started as a server. */
export function ProgramFields({ node_id, connection, problem, onChange, onBlur }: ProgramFieldsProps) {
  const t = usePanelTexts('fields');
  const { command, args, env, packages, allowNetwork } = connection;
  const words = Array.isArray(args) ? JSON.stringify(args) : toText(args);
  return (
    <>
      <Field label={t('mcp_command')} hint={t('mcp_command_help')} error={problem}>
        {(control) => (
          <ExpressionInput
            node_id={node_id}
            label={t('mcp_command')}
            value={toText(command)}
            mode="prompt"
            placeholder="npx"
            described_by={control['aria-describedby']}
            invalid={problem !== undefined}
            onChange={(text) => onChange({ command: text })}
            onBlur={onBlur}
          />
        )}
      </Field>
      <Field label={t('mcp_args')} hint={t('mcp_args_help')}>
        {(control) => (
          <ExpressionInput
            node_id={node_id}
            label={t('mcp_args')}
            value={words}
            mode="prompt"
            placeholder="-y some-server@1.2.0"
            described_by={control['aria-describedby']}
            onChange={(text) => onChange({ args: text })}
            onBlur={onBlur}
          />
        )}
      </Field>
      <PairRows
        node_id={node_id}
        title={t('mcp_env')}
        value={env}
        onChange={(next) => onChange({ env: next })}
        onBlur={onBlur}
      />
      <Field label={t('mcp_packages')} hint={t('mcp_packages_help')}>
        {(control) => (
          <TextArea
            {...control}
            mono
            rows={2}
            value={toText(packages)}
            onChange={(event) => onChange({ packages: event.target.value })}
            onBlur={onBlur}
          />
        )}
      </Field>
      <Switch
        label={t('mcp_network')}
        hint={t('mcp_network_help')}
        checked={allowNetwork === true}
        onChange={(next) => onChange({ allowNetwork: next })}
      />
    </>
  );
}
