import type { FieldKind } from '@millrace/engine';
import { type ComponentType, Suspense } from 'react';
import { lazy } from '../../lib/code/lazy.ts';
import { Skeleton } from '../../ui/display/skeleton.tsx';
import { BooleanField, ChoiceField, NumberField, TextField, TextWithExpressions } from './basic-fields.tsx';
import { CasesField } from './cases-field.tsx';
import { ChoicesField } from './choices-field.tsx';
import { ColorField } from './color-field.tsx';
import { CredentialField } from './credential-field.tsx';
import { AgentLabelsField, WorkflowsField } from './list-fields.tsx';
import { MappingsField } from './mappings-field.tsx';
import { NodeLabelField } from './node-label-field.tsx';
import { OperationField } from './operation-field.tsx';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { PythonToolsField } from './python-tools-field.tsx';
import { ResourceField } from './resource-field.tsx';
import { WorkflowField } from './workflow-field.tsx';

type Widget = ComponentType<ParameterFieldProps>;

/** A widget that few nodes have: it is loaded when it is first shown, and `height` keeps its place. */
function loadLater<Props extends ParameterFieldProps>(
  height: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Loaded = lazy(async () => ({ default: await load() }));
  return function LoadedLater(props) {
    return (
      <Suspense fallback={<Skeleton className={height} />}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}

const ObjectRowsField = loadLater('h-40', () =>
  import('./object-rows-field.tsx').then((module) => module.ObjectRowsField),
);
const CurlField = loadLater('h-40', () => import('./http/curl-field.tsx').then((module) => module.CurlField));
const McpField = loadLater('h-16', () => import('./mcp/mcp-field.tsx').then((module) => module.McpField));

const RowsOfFields = (props: ParameterFieldProps) => <ObjectRowsField {...props} Draw={ParameterField} />;

const CurlText = (props: ParameterFieldProps) => (
  <CurlField {...props}>
    <TextWithExpressions {...props} hasPreview={false} />
  </CurlField>
);

/** Kinds that are not here are text. */
const WIDGETS: Partial<Record<FieldKind, Widget>> = {
  hidden: () => null,
  boolean: BooleanField,
  number: NumberField,
  choice: ChoiceField,
  choices: ChoicesField,
  mappings: MappingsField,
  cases: CasesField,
  rows: RowsOfFields,
  workflow: WorkflowField,
  workflows: WorkflowsField,
  agent_labels: AgentLabelsField,
  credential: CredentialField,
  node_label: NodeLabelField,
  color: ColorField,
  operation: OperationField,
  resource: ResourceField,
  python_tools: PythonToolsField,
  curl: CurlText,
  mcp_connection: McpField,
  mcp_connections: McpField,
  mcp_tool: McpField,
  mcp_arguments: McpField,
  input_fields: loadLater('h-40', () =>
    import('./input-fields-field.tsx').then((module) => module.InputFieldsField),
  ),
  cron: loadLater('h-16', () => import('./cron-field.tsx').then((module) => module.CronField)),
  vector_store: loadLater('h-16', () =>
    import('./vector-store-field.tsx').then((module) => module.VectorStoreField),
  ),
  data_table: loadLater('h-16', () =>
    import('./data-table-field.tsx').then((module) => module.DataTableField),
  ),
  agent_memory: loadLater('h-16', () =>
    import('./memory/memory-field.tsx').then((module) => module.MemoryField),
  ),
  skills: loadLater('h-16', () => import('./skills/skills-field.tsx').then((module) => module.SkillsField)),
  tool_reviews: loadLater('h-16', () =>
    import('./tool-reviews-field.tsx').then((module) => module.ToolReviewsField),
  ),
  code: loadLater('h-72', () => import('./code/code-field.tsx').then((module) => module.CodeField)),
};

/** Draws one parameter by its kind. There is no form per node: a new kind is a new line in `WIDGETS`. */
export function ParameterField(props: ParameterFieldProps) {
  const Widget = WIDGETS[props.meta.kind] ?? TextField;
  return <Widget {...props} />;
}
