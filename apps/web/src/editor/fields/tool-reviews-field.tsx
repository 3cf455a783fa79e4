import { isJsonObject, type Json, type JsonObject, type WorkflowDocument } from '@millrace/engine';
import { isScript } from '@millrace/nodes/skill-path';
import { useDocument } from '../../features/document/context.ts';
import { nodeById, targetHandle } from '../../features/document/edit.ts';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { pythonToolRows, toolReviewRows } from '../../lib/graph/rows.ts';
import { toText } from '../../lib/json/to-text.ts';
import { type Choice, Select } from '../../ui/forms/select.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { ParameterRows } from './row-list.tsx';
import { skillRows } from './skills/skill-rows.ts';

const EMPTY = { tool: '', mode: 'always' };

/** Which tools of an agent a person sees before they are used, and how often. */
export function ToolReviewsField(props: ParameterFieldProps) {
  const { node_id, value } = props;
  const t = usePanelTexts('fields');
  const document = useDocument((state) => state.document);
  const names: Choice[] = [
    { value: '*', label: t('every_tool') },
    ...listTools(document, node_id).map((name) => ({ value: name, label: name })),
    ...builtInTools(nodeById(document, node_id)?.data ?? {}).map((name) => ({ value: name, label: t(name) })),
  ];
  const modes: Choice[] = [
    { value: 'always', label: t('review_always') },
    { value: 'once', label: t('review_once') },
  ];
  return (
    <ParameterRows
      field={props}
      rows={toolReviewRows(value)}
      empty={EMPTY}
      draw={(row, index, change) => (
        <div className="flex flex-col gap-1.5">
          <Select
            aria-label={t('reviewed_tool', { row: index + 1 })}
            placeholder={t('choose_tool')}
            value={row.tool}
            choices={withCurrent(names, row.tool)}
            onChange={(tool) => change({ ...row, tool })}
          />
          <Select
            aria-label={t('review_mode', { row: index + 1 })}
            value={row.mode}
            choices={withCurrent(modes, row.mode)}
            onChange={(mode) => change({ ...row, mode })}
          />
        </div>
      )}
    />
  );
}

/** Tools that are switched on, or that stand for several workflows or agents. */
function builtInTools(
  data: JsonObject,
): ('fetch_url' | 'web_search' | 'call_sub_workflow' | 'call_sub_agent')[] {
  const isFilled = (value: Json | undefined) => Array.isArray(value) && value.length > 0;
  return [
    ...(data['webFetchEnabled'] === true ? (['fetch_url'] as const) : []),
    ...(toText(data['webSearchCredentialId']) === '' ? [] : (['web_search'] as const)),
    ...(isFilled(data['subWorkflowIds']) ? (['call_sub_workflow'] as const) : []),
    ...(data['isOrchestrator'] === true && isFilled(data['subAgentLabels'])
      ? (['call_sub_agent'] as const)
      : []),
  ];
}

/** Names of the tools that are an agent's own: nodes on its tool handle, functions and skills. */
function listTools(document: WorkflowDocument, node_id: string): string[] {
  const { data = {} } = nodeById(document, node_id) ?? {};
  const onHandle = document.edges
    .filter((edge) => edge.target === node_id && targetHandle(edge) === 'tool-input')
    .flatMap(({ source }) => nodeById(document, source) ?? [])
    .map(getNodeLabel);
  const functions = pythonToolRows(data['tools']).map(({ name }) => name);
  const names = [...onHandle, ...functions, ...skillNames(data['skills'])];
  return [...new Set(names.filter((name) => name !== ''))];
}

/** Skills with a script, which are the ones that are tools. */
function skillNames(skills: Json | undefined): string[] {
  const withScript = skillRows(skills).filter(
    ({ files }) =>
      Array.isArray(files) && files.some((file) => isJsonObject(file) && isScript(toText(file['path']))),
  );
  return withScript.map(({ name }) => name.trim());
}

const withCurrent = (choices: readonly Choice[], current: string): Choice[] =>
  current === '' || choices.some(({ value }) => value === current)
    ? [...choices]
    : [...choices, { value: current, label: current }];
