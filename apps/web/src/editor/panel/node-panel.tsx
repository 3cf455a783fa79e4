import {
  fieldMeta,
  isShown,
  type Json,
  type NodeDefinition,
  type Problem,
  receivingKind,
  type WorkflowNode,
} from '@millrace/engine';
import { CircleHelp, Ellipsis, Power } from 'lucide-react';
import { useState } from 'react';
import type { z } from 'zod';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Menu } from '../../ui/actions/menu.tsx';
import { Switch } from '../../ui/forms/toggles.tsx';
import { PanelBoundary } from '../../ui/layout/panel-boundary.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { NodeTile } from '../canvas/elements/node-icons.tsx';
import { useNodeMenu } from '../canvas/node-menu.tsx';
import { useDocument, useEditor, useProblems, useView } from '../context.tsx';
import { setParameter, toggleActive } from '../document/change.ts';
import { DataPicker } from '../fields/expression/data-picker.tsx';
import { ParameterField } from '../fields/parameter-field.tsx';
import { selectedNode } from '../store.ts';
import type { PanelTab } from '../view.ts';
import { AgentFields } from './agent-fields.tsx';
import { ErrorHandling } from './error-handling.tsx';
import { GuardNote } from './guard-note.tsx';
import { GuideDialog, hasGuide } from './guide-dialog.tsx';
import { LabelField } from './label-field.tsx';
import { NodeOutput } from './node-output.tsx';
import { PinnedData } from './pinned-data.tsx';
import { RealEvent } from './real-event/real-event.tsx';
import { usePanelTexts } from './texts/use-panel-texts.ts';

/** The panel of the one selected node: its parameters, drawn from its definition, and its last results. */
export function NodePanel() {
  const node = useDocument(selectedNode);
  const tab = useView((state) => state.panel);
  const t = usePanelTexts('panel');
  const { catalog, view } = useEditor();
  if (!node) return <NothingSelected />;
  const definition = catalog.get(node.type);
  return (
    <section className="flex h-full min-h-0 flex-col" aria-label={t('label')} key={node.id}>
      <Header node={node} definition={definition} />
      <PanelBoundary resetKeys={[node.id]}>
        <Tabs<PanelTab>
          value={isRun(definition) ? tab : 'configure'}
          onChange={(panel) => view.getState().set({ panel })}
          label={t('label')}
          className="grow"
          tabs={[
            {
              value: 'configure',
              label: t('configure'),
              content: <Configure node={node} definition={definition} />,
            },
            ...(isRun(definition)
              ? [{ value: 'output' as const, label: t('output'), content: <NodeOutput node={node} /> }]
              : []),
          ]}
        />
      </PanelBoundary>
    </section>
  );
}

/** An annotation is no part of any run. */
const isRun = (definition: NodeDefinition | undefined): boolean => definition?.traits.schedule !== 'never';

/** Whether events from outside start the node; the file of an upload is sent while a run waits for it. */
function hasSource(definition: NodeDefinition | undefined, { data }: WorkflowNode): boolean {
  const kind = definition && receivingKind(definition, data);
  return kind !== undefined && kind !== null && kind !== 'upload';
}

/** What can be done when no single node is selected. */
function NothingSelected() {
  const t = usePanelTexts('panel');
  const count = useDocument((state) => state.selection.nodes.size);
  const items = useNodeMenu();
  if (count < 2) return <p className="p-6 text-center text-soft">{t('nothing_selected')}</p>;
  return (
    <div className="flex flex-col items-center gap-3 p-6">
      <p className="text-soft">{t('many_selected', { count })}</p>
      <Menu items={items} align="center">
        <Button>
          <Ellipsis aria-hidden />
          {t('more')}
        </Button>
      </Menu>
    </div>
  );
}

function Header({ node, definition }: { node: WorkflowNode; definition: NodeDefinition | undefined }) {
  const t = usePanelTexts('panel');
  const { store } = useEditor();
  const items = useNodeMenu();
  const chosen = new Set([node.id]);
  const [isGuideOpen, setGuideOpen] = useState(false);
  return (
    <header className="flex items-start gap-2.5 px-3.5 pt-3 pb-2">
      <NodeTile icon={definition?.icon} family={definition?.family} />
      <div className="min-w-0 grow">
        <h2 className="truncate text-base">{definition?.title ?? node.type}</h2>
        <p className="text-sm text-faint">{definition?.summary ?? t('unknown')}</p>
      </div>
      {definition && hasGuide(definition.type) ? (
        <>
          <IconButton label={t('guide')} icon={<CircleHelp />} onClick={() => setGuideOpen(true)} />
          <GuideDialog definition={definition} open={isGuideOpen} onOpenChange={setGuideOpen} />
        </>
      ) : null}
      {isRun(definition) ? (
        <IconButton
          label={node.data['active'] === false ? t('switch_on') : t('switch_off')}
          keys="d"
          icon={<Power />}
          onClick={() => store.getState().edit((document) => toggleActive(document, chosen))}
        />
      ) : null}
      <Menu items={items.slice(1)}>
        <IconButton label={t('more')} icon={<Ellipsis />} tooltip={false} />
      </Menu>
    </header>
  );
}

interface Parameter {
  name: string;
  meta: NonNullable<ReturnType<typeof fieldMeta>>;
  /** What a run uses when it is left out. */
  fallback: Json | undefined;
}

function fallbackOf(schema: z.ZodType): Json | undefined {
  const result = schema.safeParse(undefined);
  return result.success ? (result.data as Json | undefined) : undefined;
}

/** Parameters under the headings that their definition gives; those without one come first. */
function groupsOf(parameters: readonly Parameter[]): [heading: string, parameters: Parameter[]][] {
  const groups = new Map<string, Parameter[]>([['', []]]);
  for (const parameter of parameters) {
    const heading = parameter.meta.group ?? '';
    groups.set(heading, [...(groups.get(heading) ?? []), parameter]);
  }
  return [...groups].filter(([, members]) => members.length > 0);
}

/** What is wrong with a parameter as a whole, and with each of its rows. */
function problemsAt(found: readonly Problem[], name: string) {
  const here = found.filter(({ field }) => field?.split('.')[0] === name);
  const rows = new Map<number, string>();
  for (const { field, message } of here) {
    const [, row] = field?.split('.') ?? [];
    if (row !== undefined && /^\d+$/.test(row)) rows.set(Number(row), message);
  }
  const whole = here.find(({ field }) => field === name || !/^[^.]+\.\d+/.test(field ?? ''));
  return { problem: whole?.message, row_problems: rows };
}

function parametersOf(definition: NodeDefinition, node: WorkflowNode): Parameter[] {
  return Object.entries(definition.params.shape).flatMap(([name, schema]) => {
    const meta = fieldMeta(schema as z.ZodType);
    if (!meta || meta.kind === 'hidden' || !isShown(meta, node.data, definition.params.shape)) return [];
    return [{ name, meta, fallback: fallbackOf(schema as z.ZodType) }];
  });
}

function Configure({ node, definition }: { node: WorkflowNode; definition: NodeDefinition | undefined }) {
  const t = usePanelTexts('panel');
  const { store } = useEditor();
  const found = useProblems().get(node.id) ?? [];
  const change = (name: string) => (value: Json | undefined) =>
    store
      .getState()
      .edit((document) => setParameter(document, node.id, { name, value }), { merge: `${node.id}.${name}` });
  const hasInputs = (definition?.ports(node.data).inputs.length ?? 1) > 0;
  const general = found.filter((problem) => problem.field === null);
  return (
    <div className="flex flex-col gap-4 p-3.5">
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
        groupsOf(parametersOf(definition, node)).map(([heading, parameters]) => (
          <div key={heading} className="flex flex-col gap-4">
            {heading === '' ? null : (
              <h3 className="border-t border-line pt-3 text-sm font-semibold">{heading}</h3>
            )}
            {parameters.map(({ name, meta, fallback }) => (
              <ParameterField
                key={name}
                node_id={node.id}
                name={name}
                meta={meta}
                value={node.data[name]}
                fallback={fallback}
                {...problemsAt(found, name)}
                onChange={change(name)}
                onBlur={() => store.getState().settle()}
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
      {hasInputs ? <DataPicker node_id={node.id} /> : null}
      {definition?.traits.error_settings ? <ErrorHandling node={node} onChange={change} /> : null}
      {hasSource(definition, node) ? <RealEvent node={node} /> : null}
      {isRun(definition) ? <PinnedData node={node} /> : null}
    </div>
  );
}
