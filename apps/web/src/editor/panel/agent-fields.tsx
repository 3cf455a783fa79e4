import {
  type FieldMeta,
  fieldMeta,
  isToolEdge,
  type NodeDefinition,
  type WorkflowNode,
} from '@millrace/engine';
import type { z } from 'zod';
import { useDocument } from '../../features/document/context.ts';
import { type ChangeParameter, NodeField } from './frame/node-field.tsx';
import { usePanelTexts } from './texts/use-panel-texts.ts';

const FIELD = 'agentProvidedFields';
const DESCRIPTION = 'toolDescription';
/** As whom and where something is done is for the author of a workflow to say. */
const RESERVED = new Set(['credential', 'hidden', 'mcp_connection']);

interface AgentFieldsProps {
  node: WorkflowNode;
  definition: NodeDefinition;
  onChange: ChangeParameter;
}

/** For a node on the tool handle of an agent: how it is described to the agent, and which of its fields the agent fills in. */
export function AgentFields({ node, definition, onChange }: AgentFieldsProps) {
  const t = usePanelTexts('fields');
  const isTool = useDocument((state) =>
    state.document.edges.some((edge) => isToolEdge(edge) && edge.source === node.id),
  );
  if (!isTool) return null;
  const choices = Object.entries(definition.params.shape).flatMap(([name, schema]) => {
    const meta = fieldMeta(schema as z.ZodType);
    return meta && !RESERVED.has(meta.kind) ? [{ value: name, title: meta.title }] : [];
  });
  const fields: readonly (readonly [name: string, meta: FieldMeta])[] = [
    [
      DESCRIPTION,
      {
        kind: 'multiline',
        mode: 'literal',
        title: t('tool_description'),
        help: t('tool_description_help'),
        placeholder: definition.summary,
      },
    ],
    [
      FIELD,
      {
        kind: 'choices',
        mode: 'literal',
        title: t('agent_provided'),
        help: t('agent_provided_help'),
        choices,
      },
    ],
  ];
  return fields.map(([name, meta]) => (
    <NodeField key={name} node={node} name={name} meta={meta} problem={undefined} onChange={onChange} />
  ));
}
