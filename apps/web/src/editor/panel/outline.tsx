import { resolvePorts, type WorkflowNode } from '@millrace/engine';
import { CornerDownRight, Link2, Link2Off } from 'lucide-react';
import { useState } from 'react';
import { NodeTile } from '../../features/canvas-view/elements/node-icons.tsx';
import { useDocument, useRun } from '../../features/document/context.ts';
import { sourceHandle } from '../../features/document/edit.ts';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { StatusChip } from '../../ui/display/status-chip.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { connect, createConnectionCheck } from '../document/edges/connect.ts';
import { remove } from '../document/edges/remove.ts';
import { addNode, addNodeAfter } from '../document/nodes/add-node.ts';
import { useEditor } from '../state/context.tsx';
import { usePanelTexts } from './texts/use-panel-texts.ts';

/** The whole graph as a list: everything that the canvas can do, by keyboard and for screen readers. */
export function Outline() {
  const t = usePanelTexts('outline');
  const nodes = useDocument((state) => state.document.nodes);
  return (
    <section aria-label={t('label')} className="flex flex-col gap-3 p-3.5">
      <p className="text-sm text-faint">{t('hint')}</p>
      <AddNode />
      <ol className="flex flex-col gap-2">
        {nodes.map((node) => (
          <OutlineNode key={node.id} node={node} />
        ))}
      </ol>
    </section>
  );
}

function AddNode() {
  const t = usePanelTexts('outline');
  const { store, catalog } = useEditor();
  const nodes = useDocument((state) => state.document.nodes);
  const [type, setType] = useState('');
  const [after, setAfter] = useState('');
  const add = () => {
    const definition = catalog.get(type);
    if (!definition) return;
    let id: string | undefined;
    const lowest = Math.max(0, ...nodes.map((node) => node.position.y + 140));
    store.getState().edit((document) => {
      const result =
        after === ''
          ? addNode(document, definition, { x: 0, y: nodes.length === 0 ? 0 : lowest })
          : addNodeAfter(catalog, document, { after, definition });
      id = result.id;
      return result;
    });
    if (id !== undefined) {
      store.getState().select({ nodes: [id] });
      setAfter(id);
    }
  };
  return (
    <div className="grid grid-cols-[1fr_1fr_auto] items-center gap-2">
      <Select
        aria-label={t('type')}
        placeholder={t('type')}
        value={type === '' ? undefined : type}
        choices={catalog.all.map((definition) => ({ value: definition.type, label: definition.title }))}
        onChange={setType}
      />
      <Select
        aria-label={t('after')}
        value={after}
        choices={[
          { value: '', label: t('not_connected') },
          ...nodes.map((node) => ({ value: node.id, label: getNodeLabel(node) })),
        ]}
        onChange={setAfter}
      />
      <Button onClick={add} disabled={type === ''}>
        {t('add')}
      </Button>
    </div>
  );
}

function OutlineNode({ node }: { node: WorkflowNode }) {
  const t = usePanelTexts('outline');
  const { store, catalog, view } = useEditor();
  const document = useDocument((state) => state.document);
  const selected = useDocument((state) => state.selection.nodes.has(node.id));
  const status = useRun((state) => state.nodes.get(node.id)?.status);
  const definition = catalog.get(node.type);
  const label = (id: string) => {
    const other = document.nodes.find((item) => item.id === id);
    return other ? getNodeLabel(other) : id;
  };
  const open = () => {
    store.getState().select({ nodes: [node.id] });
    view.getState().showNode('configure');
  };
  return (
    <li className={`rounded-m border px-2.5 py-2 ${selected ? 'border-accent' : 'border-line'}`}>
      <div className="flex items-center gap-2">
        <NodeTile icon={definition?.icon} family={definition?.family} small />
        <button
          type="button"
          aria-label={`${getNodeLabel(node)}, ${definition?.title ?? node.type}`}
          onClick={open}
          className="min-w-0 grow truncate text-left font-medium hover:underline"
        >
          {getNodeLabel(node)}
          <span className="ml-2 text-xs font-normal text-faint">{definition?.title ?? node.type}</span>
        </button>
        {status ? <StatusChip status={status === 'retrying' ? 'running' : status} look="line" /> : null}
      </div>
      <ul className="mt-1 pl-1 text-sm">
        {document.edges
          .filter((edge) => edge.source === node.id)
          .map((edge) => (
            <li key={edge.id} className="flex items-center gap-1.5 text-soft">
              <CornerDownRight className="size-3.5 text-faint" aria-hidden />
              <span className="grow truncate">
                {t('leads_to', { handle: sourceHandle(edge), target: label(edge.target) })}
              </span>
              <IconButton
                size="small"
                label={t('disconnect', { target: label(edge.target) })}
                icon={<Link2Off />}
                onClick={() =>
                  store
                    .getState()
                    .edit((current) =>
                      remove(catalog, current, { nodes: new Set(), edges: new Set([edge.id]) }),
                    )
                }
              />
            </li>
          ))}
      </ul>
      {resolvePorts(catalog, node).outputs.length > 0 ? <ConnectFrom node={node} /> : null}
    </li>
  );
}

function ConnectFrom({ node }: { node: WorkflowNode }) {
  const t = usePanelTexts('outline');
  const { store, catalog } = useEditor();
  const document = useDocument((state) => state.document);
  const { outputs } = resolvePorts(catalog, node);
  const [handle, setHandle] = useState(outputs[0] ?? 'output');
  const refusal = createConnectionCheck(catalog, document);
  const targets = document.nodes.flatMap((target) =>
    resolvePorts(catalog, target).inputs.flatMap((targetHandle) => {
      const wish = { source: node.id, sourceHandle: handle, target: target.id, targetHandle };
      if (refusal(wish)) return [];
      const name =
        targetHandle === 'input' ? getNodeLabel(target) : `${getNodeLabel(target)} (${targetHandle})`;
      return [{ value: JSON.stringify(wish), label: name }];
    }),
  );
  return (
    <div className="mt-1.5 flex items-center gap-1.5">
      <Link2 className="size-3.5 shrink-0 text-faint" aria-hidden />
      {outputs.length > 1 ? (
        <Select
          size="small"
          aria-label={t('handle_of', { label: getNodeLabel(node) })}
          value={handle}
          choices={outputs.map((value) => ({ value, label: value }))}
          onChange={setHandle}
          className="max-w-28"
        />
      ) : null}
      <Select
        size="small"
        aria-label={t('connect_from', { label: getNodeLabel(node) })}
        placeholder={t('connect_to')}
        value={undefined}
        choices={targets}
        onChange={(value) => store.getState().edit((current) => connect(catalog, current, JSON.parse(value)))}
      />
    </div>
  );
}
