import {
  fieldMeta,
  isShown,
  type Json,
  type NodeDefinition,
  type Problem,
  receivingKind,
  type WorkflowNode,
} from '@millrace/engine';
import { Suspense, useCallback } from 'react';
import type { z } from 'zod';
import { setParameter } from '../../features/document/change.ts';
import { useProblems } from '../../features/document/context.ts';
import { lazy } from '../../lib/code/lazy.ts';
import { Skeleton } from '../../ui/display/skeleton.tsx';
import { Switch } from '../../ui/forms/toggles.tsx';
import { DataPicker } from '../fields/expression/data-picker.tsx';
import { useEditor } from '../state/context.tsx';
import { AgentFields } from './agent-fields.tsx';
import { ErrorHandling } from './error-handling.tsx';
import { type ChangeParameter, NodeField } from './frame/node-field.tsx';
import { GuardNote } from './guard-note.tsx';
import { Joins } from './joins.tsx';
import { LabelField } from './label-field.tsx';
import { PinnedData } from './pinned-data.tsx';
import { usePanelTexts } from './texts/use-panel-texts.ts';

/** Only some nodes that start a workflow have it. */
const RealEvent = lazy(() =>
  import('./real-event/real-event.tsx').then((module) => ({ default: module.RealEvent })),
);

const WebhookAddress = lazy(() =>
  import('./webhook/webhook-address.tsx').then((module) => ({ default: module.WebhookAddress })),
);

const WebhookExample = lazy(() =>
  import('./webhook/webhook-address.tsx').then((module) => ({ default: module.WebhookExample })),
);

/** An annotation is no part of any run. */
export const isRun = (definition: NodeDefinition | undefined): boolean =>
  definition?.traits.schedule !== 'never';

/** How events from outside start the node; the file of an upload is sent while a run waits for it. */
function getEventSource(definition: NodeDefinition | undefined, { data }: WorkflowNode) {
  const kind = (definition && receivingKind(definition, data)) ?? null;
  return kind === 'upload' ? null : kind;
}

interface Parameter {
  name: string;
  meta: NonNullable<ReturnType<typeof fieldMeta>>;
  /** The value that a run uses when it is left out. */
  fallback: Json | undefined;
}

const fallbacks = new WeakMap<z.ZodType, Json | undefined>();

/** The same value each time, so that a field that has not changed is not drawn again. */
function findFallback(schema: z.ZodType): Json | undefined {
  if (!fallbacks.has(schema)) {
    const result = schema.safeParse(undefined);
    fallbacks.set(schema, result.success ? (result.data as Json | undefined) : undefined);
  }
  return fallbacks.get(schema);
}

/** Parameters under the headings that their definition gives; those without one come first. */
function groupParameters(parameters: readonly Parameter[]): [heading: string, parameters: Parameter[]][] {
  const groups = new Map<string, Parameter[]>([['', []]]);
  for (const parameter of parameters) {
    const heading = parameter.meta.group ?? '';
    groups.set(heading, [...(groups.get(heading) ?? []), parameter]);
  }
  return [...groups].filter(([, members]) => members.length > 0);
}

const NO_PROBLEMS: { problem: string | undefined; row_problems: ReadonlyMap<number, string> } = {
  problem: undefined,
  row_problems: new Map(),
};

/** The problems of a parameter as a whole, and of each of its rows. */
function problemsAt(found: readonly Problem[], name: string): typeof NO_PROBLEMS {
  const here = found.filter(({ field }) => field?.split('.')[0] === name);
  if (here.length === 0) return NO_PROBLEMS;
  const rows = new Map<number, string>();
  for (const { field, message } of here) {
    const [, row] = field?.split('.') ?? [];
    if (row !== undefined && /^\d+$/.test(row)) rows.set(Number(row), message);
  }
  const whole = here.find(({ field }) => field === name || !/^[^.]+\.\d+/.test(field ?? ''));
  return { problem: whole?.message, row_problems: rows };
}

function listParameters(definition: NodeDefinition, node: WorkflowNode): Parameter[] {
  return Object.entries(definition.params.shape).flatMap(([name, schema]) => {
    const meta = fieldMeta(schema as z.ZodType);
    if (!meta || meta.kind === 'hidden' || !isShown(meta, node.data, definition.params.shape)) return [];
    return [{ name, meta, fallback: findFallback(schema as z.ZodType) }];
  });
}

interface ConfigureProps {
  node: WorkflowNode;
  definition: NodeDefinition | undefined;
  /** Off where the inputs are shown beside the fields. */
  hasPicker?: boolean;
}

/** The parameters of a node, drawn from its definition, and what holds for any node. */
export function Configure({ node, definition, hasPicker = true }: ConfigureProps) {
  const t = usePanelTexts('panel');
  const { store } = useEditor();
  const found = useProblems().get(node.id) ?? [];
  const { id } = node;
  const change: ChangeParameter = useCallback(
    (name) => (value) =>
      store
        .getState()
        .edit((document) => setParameter(document, id, { name, value }), { merge: `${id}.${name}` }),
    [store, id],
  );
  const hasInputs = (definition?.ports(node.data).inputs.length ?? 1) > 0;
  const source = getEventSource(definition, node);
  const general = found.filter((problem) => problem.field === null);
  return (
    <div className="flex flex-col gap-4 p-3.5">
      {source === 'webhook' ? (
        <Suspense fallback={<Skeleton className="h-24" />}>
          <WebhookAddress node={node} />
        </Suspense>
      ) : null}
      <LabelField node={node} isRead={isRun(definition)} />
      <GuardNote node={node} />
      {definition ? <AgentFields node={node} definition={definition} onChange={change} /> : null}
      {general.map((problem) => (
        <p
          key={problem.code + problem.message}
          className="rounded-m border border-warning-line bg-warning-tint px-2.5 py-1.5 text-sm"
        >
          {problem.message}
        </p>
      ))}
      {definition ? (
        groupParameters(listParameters(definition, node)).map(([heading, parameters]) => (
          <div key={heading} className="flex flex-col gap-4">
            {heading === '' ? null : (
              <h3 className="border-t border-line pt-3 text-sm font-semibold">{heading}</h3>
            )}
            {parameters.map(({ name, meta, fallback }) => (
              <NodeField
                key={name}
                node={node}
                name={name}
                meta={meta}
                fallback={fallback}
                {...problemsAt(found, name)}
                onChange={change}
              />
            ))}
          </div>
        ))
      ) : (
        <Switch
          label={t('pass_inputs_on')}
          hint={t('unknown_hint')}
          checked={node.data['passInputsOn'] === true}
          onChange={change('passInputsOn')}
        />
      )}
      {hasPicker && hasInputs ? <DataPicker node_id={node.id} /> : null}
      {definition?.traits.error_settings ? <ErrorHandling node={node} onChange={change} /> : null}
      {definition ? <Joins node={node} definition={definition} onChange={change} /> : null}
      {source === null ? null : (
        <Suspense>
          {source === 'webhook' ? <WebhookExample node={node} /> : null}
          <RealEvent node={node} />
        </Suspense>
      )}
      {isRun(definition) ? <PinnedData node={node} /> : null}
    </div>
  );
}
