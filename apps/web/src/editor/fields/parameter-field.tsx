import type { ExpressionMode, FieldMeta, Json } from '@millrace/engine';
import { lazy, Suspense } from 'react';
import { Skeleton } from '../../ui/display/skeleton.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Switch } from '../../ui/forms/toggles.tsx';
import { CasesField } from './cases-field.tsx';
import { ChoicesField } from './choices-field.tsx';
import { ColorField } from './color-field.tsx';
import { CredentialField } from './credential-field.tsx';
import { ExpressionInput } from './expression/expression-input.tsx';
import { ExpressionPreview } from './expression/expression-preview.tsx';
import { AgentLabelsField, WorkflowsField } from './list-fields.tsx';
import { MappingsField } from './mappings-field.tsx';
import { NodeLabelField } from './node-label-field.tsx';
import { OperationField } from './operation-field.tsx';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { PythonToolsField } from './python-tools-field.tsx';
import { ResourceField } from './resource-field.tsx';
import { WorkflowField } from './workflow-field.tsx';

const CronField = lazy(() => import('./cron-field.tsx').then((module) => ({ default: module.CronField })));
const CurlField = lazy(() =>
  import('./http/curl-field.tsx').then((module) => ({ default: module.CurlField })),
);
const DataTableField = lazy(() =>
  import('./data-table-field.tsx').then((module) => ({ default: module.DataTableField })),
);
const VectorStoreField = lazy(() =>
  import('./vector-store-field.tsx').then((module) => ({ default: module.VectorStoreField })),
);
const InputFieldsField = lazy(() =>
  import('./input-fields-field.tsx').then((module) => ({ default: module.InputFieldsField })),
);
const SkillsField = lazy(() =>
  import('./skills/skills-field.tsx').then((module) => ({ default: module.SkillsField })),
);
const MemoryField = lazy(() =>
  import('./memory/memory-field.tsx').then((module) => ({ default: module.MemoryField })),
);
const CodeField = lazy(() =>
  import('./code/code-field.tsx').then((module) => ({ default: module.CodeField })),
);
const ToolReviewsField = lazy(() =>
  import('./tool-reviews-field.tsx').then((module) => ({ default: module.ToolReviewsField })),
);
const ObjectRowsField = lazy(() =>
  import('./object-rows-field.tsx').then((module) => ({ default: module.ObjectRowsField })),
);
const McpField = lazy(() => import('./mcp/mcp-field.tsx').then((module) => ({ default: module.McpField })));

const asText = (value: Json | undefined): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

const MULTILINE = new Set(['curl', 'html', 'json', 'multiline']);

/** Kinds that are text in which expressions may stand. */
function isExpression(meta: FieldMeta): boolean {
  return (
    meta.mode !== 'literal' || meta.kind === 'curl' || meta.kind === 'event_key' || meta.kind === 'condition'
  );
}

const isReference = (value: Json | undefined): boolean => typeof value === 'string' && value.startsWith('$');

function numberOf(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  // Expressions may stand where a number is expected, and "1." is on its way to "1.5": other text is kept as it is.
  return Number.isFinite(number) && String(number) === text ? number : text;
}

/** Draws one parameter by its kind. There is no form per node: a new kind is a new line here. */
export function ParameterField(props: ParameterFieldProps) {
  const { meta, value, problem, onChange } = props;
  switch (meta.kind) {
    case 'hidden':
      return null;
    case 'boolean':
      return isReference(value) ? (
        <TextWithExpressions {...props} />
      ) : (
        <Switch
          label={meta.title}
          hint={meta.help}
          checked={(value ?? props.fallback) === true}
          onChange={onChange}
        />
      );
    case 'mappings':
      return <MappingsField {...props} />;
    case 'cases':
      return <CasesField {...props} />;
    case 'rows':
      return (
        <Suspense fallback={<Skeleton className="h-40" />}>
          <ObjectRowsField {...props} Draw={ParameterField} />
        </Suspense>
      );
    case 'input_fields':
      return (
        <Suspense fallback={<Skeleton className="h-40" />}>
          <InputFieldsField {...props} />
        </Suspense>
      );
    case 'cron':
      return (
        <Suspense fallback={<Skeleton className="h-16" />}>
          <CronField {...props} />
        </Suspense>
      );
    case 'vector_store':
      return (
        <Suspense fallback={<Skeleton className="h-16" />}>
          <VectorStoreField {...props} />
        </Suspense>
      );
    case 'workflow':
      return <WorkflowField {...props} />;
    case 'data_table':
      return (
        <Suspense fallback={<Skeleton className="h-16" />}>
          <DataTableField {...props} />
        </Suspense>
      );
    case 'credential':
      return <CredentialField {...props} />;
    case 'node_label':
      return <NodeLabelField {...props} />;
    case 'color':
      return <ColorField {...props} />;
    case 'operation':
      return <OperationField {...props} />;
    case 'resource':
      return <ResourceField {...props} />;
    case 'workflows':
      return <WorkflowsField {...props} />;
    case 'agent_labels':
      return <AgentLabelsField {...props} />;
    case 'mcp_connection':
    case 'mcp_connections':
    case 'mcp_tool':
    case 'mcp_arguments':
      return (
        <Suspense fallback={<Skeleton className="h-16" />}>
          <McpField {...props} />
        </Suspense>
      );
    case 'agent_memory':
      return (
        <Suspense fallback={<Skeleton className="h-16" />}>
          <MemoryField {...props} />
        </Suspense>
      );
    case 'python_tools':
      return <PythonToolsField {...props} />;
    case 'skills':
      return (
        <Suspense fallback={<Skeleton className="h-16" />}>
          <SkillsField {...props} />
        </Suspense>
      );
    case 'tool_reviews':
      return (
        <Suspense fallback={<Skeleton className="h-16" />}>
          <ToolReviewsField {...props} />
        </Suspense>
      );
    case 'choices':
      return <ChoicesField {...props} />;
    case 'choice':
      return (
        <Field label={meta.title} hint={meta.help} error={problem}>
          {(control) => (
            <Select
              {...control}
              value={asText(value ?? props.fallback)}
              choices={(meta.choices ?? []).map((choice) => ({ value: choice.value, label: choice.title }))}
              onChange={onChange}
            />
          )}
        </Field>
      );
    case 'number':
      return <TextWithExpressions {...props} onChange={(next) => onChange(numberOf(asText(next)))} />;
    case 'code':
      return (
        <Suspense fallback={<Skeleton className="h-72" />}>
          <CodeField {...props} />
        </Suspense>
      );
    case 'curl':
      return (
        <Suspense fallback={<Skeleton className="h-40" />}>
          <CurlField {...props}>
            <TextWithExpressions {...props} hasPreview={false} />
          </CurlField>
        </Suspense>
      );
    default:
      return isExpression(meta) ? <TextWithExpressions {...props} /> : <PlainText {...props} />;
  }
}

const PLAIN_KINDS = new Set(['number', 'boolean']);

/** How the text is read: where a number or a switch is expected, an expression may stand instead. */
function modeOf(meta: FieldMeta, text: string): ExpressionMode {
  if (meta.kind === 'curl') return 'template';
  if (meta.kind === 'event_key') return 'raw';
  return PLAIN_KINDS.has(meta.kind) && text.startsWith('$') ? 'value' : meta.mode;
}

interface TextWithExpressionsProps extends ParameterFieldProps {
  hasPreview?: boolean;
}

function TextWithExpressions({ hasPreview = true, ...props }: TextWithExpressionsProps) {
  const { node_id, meta, value, fallback, problem, onChange, onBlur } = props;
  const text = asText(value);
  const mode = modeOf(meta, text);
  const placeholder = meta.placeholder ?? placeholderOf(meta, fallback);
  return (
    <Field label={meta.title} hint={meta.help} error={problem}>
      {(control) => (
        <div className="flex flex-col gap-1">
          <ExpressionInput
            node_id={node_id}
            label={meta.title}
            value={text}
            mode={PLAIN_KINDS.has(meta.kind) ? 'value' : mode}
            multiline={MULTILINE.has(meta.kind)}
            placeholder={placeholder}
            described_by={control['aria-describedby']}
            invalid={problem !== undefined}
            onChange={onChange}
            onBlur={onBlur}
          />
          {hasPreview ? <ExpressionPreview node_id={node_id} text={text} mode={mode} /> : null}
        </div>
      )}
    </Field>
  );
}

/** What holds while nothing is written; an empty field says that best about texts. */
const placeholderOf = (meta: FieldMeta, fallback: Json | undefined): string | undefined =>
  meta.kind === 'condition' || fallback === undefined || fallback === '' ? undefined : asText(fallback);

function PlainText({ meta, value, fallback, problem, onChange, onBlur }: ParameterFieldProps) {
  const long = meta.kind === 'multiline' || meta.kind === 'markdown' || meta.kind === 'json';
  return (
    <Field label={meta.title} hint={meta.help} error={problem}>
      {(control) =>
        long ? (
          <TextArea
            {...control}
            rows={5}
            placeholder={meta.placeholder}
            value={asText(value)}
            onChange={(event) => onChange(event.target.value)}
            onBlur={onBlur}
          />
        ) : (
          <Input
            {...control}
            value={asText(value)}
            placeholder={meta.placeholder ?? placeholderOf(meta, fallback)}
            onChange={(event) => onChange(event.target.value)}
            onBlur={onBlur}
          />
        )
      }
    </Field>
  );
}
