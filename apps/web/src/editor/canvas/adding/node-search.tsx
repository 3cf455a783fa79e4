import { useReactFlow } from '@xyflow/react';
import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import type { NodeSearchRequest } from '../../../features/canvas-view/canvas-actions.tsx';
import { NodeTile } from '../../../features/canvas-view/elements/node-icons.tsx';
import { buildSubtitle } from '../../../features/canvas-view/elements/subtitle.ts';
import { getNodeLabel } from '../../../lib/graph/node-label.ts';
import { returnFocus } from '../../../lib/keyboard/return-focus.ts';
import { insertOnEdge } from '../../document/edges/insert-on-edge.ts';
import { findNodes } from '../../document/nodes/find-nodes.ts';
import { useEditor } from '../../state/context.tsx';
import { useEditorTexts } from '../../texts/use-editor-texts.ts';
import { findTypeForOthers, findTypes } from './find-types.ts';
import { focusNode } from './focus-node.ts';
import { useAddNode } from './use-add-node.ts';

const MAX_SHOWN = 60;

/** Search over node types and over the nodes of this graph, also by what their parameters hold. */
export function NodeSearch({ request, onClose }: { request: NodeSearchRequest; onClose: () => void }) {
  const t = useEditorTexts('canvas');
  const [words, setWords] = useState(request.text ?? '');
  const chosen = useRef<string>(undefined);
  const onDone = (id: string | undefined) => {
    chosen.current = id;
    onClose();
  };
  const isPlaced = request.edge_id !== undefined || request.after !== undefined || request.at !== undefined;
  const title = request.find ? t('find_title') : t('search_title');
  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            if (chosen.current === undefined) return returnFocus(event);
            event.preventDefault();
            focusNode(chosen.current);
          }}
          className="fixed top-[12vh] left-1/2 z-50 w-[min(560px,calc(100vw-24px))] -translate-x-1/2 overflow-hidden rounded-l border border-line-strong bg-raised shadow-l"
        >
          <Dialog.Title className="sr-only">{title}</Dialog.Title>
          <Command label={title} loop shouldFilter={false}>
            <Command.Input
              autoFocus
              value={words}
              onValueChange={setWords}
              placeholder={request.find ? t('find_placeholder') : t('search_placeholder')}
              className="h-11 w-full border-b border-line bg-transparent px-4 text-lg outline-none"
            />
            <Command.List className="max-h-[52vh] overflow-auto p-1.5 [&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-faint">
              <Command.Empty className="px-3 py-6 text-center text-faint">{t('search_empty')}</Command.Empty>
              {request.find ? null : <Types words={words} request={request} onDone={onDone} />}
              {isPlaced ? null : <Nodes words={words} onDone={onDone} />}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface TypesProps {
  words: string;
  request: NodeSearchRequest;
  /** Gets the id of the node that was added; undefined when the graph refused it. */
  onDone: (id: string | undefined) => void;
}

function Types({ words, request, onDone }: TypesProps) {
  const t = useEditorTexts('canvas');
  const { catalog } = useEditor();
  const addNode = useAddNode();
  // A node that follows something cannot start the workflow.
  const isBehind = request.edge_id !== undefined || request.after !== undefined;
  const offered = catalog.all.filter(({ traits }) => !(isBehind && traits.role === 'trigger'));
  const found = findTypes(offered, words);
  const other = found.length === 0 ? findTypeForOthers(catalog) : undefined;
  const shown = other ? [other] : found;
  if (shown.length === 0) return null;
  return (
    <Command.Group heading={other ? t('search_other') : t('search_types')}>
      {shown.map((definition) => (
        <Row
          key={definition.type}
          value={definition.type}
          tile={<NodeTile icon={definition.icon} family={definition.family} small />}
          title={definition.title}
          hint={definition.summary}
          onSelect={() => onDone(addNode(definition, { ...request, insert: insertOnEdge }))}
        />
      ))}
    </Command.Group>
  );
}

function Nodes({ words, onDone }: Pick<TypesProps, 'words' | 'onDone'>) {
  const t = useEditorTexts('canvas');
  const { store, catalog } = useEditor();
  const flow = useReactFlow();
  const found = useMemo(() => findNodes(catalog, store.getState().document, words), [catalog, store, words]);
  const show = (id: string) => {
    store.getState().select({ nodes: [id] });
    void flow.fitView({ nodes: [{ id }], maxZoom: 1, duration: 200 });
    onDone(id);
  };
  if (found.length === 0) return null;
  return (
    <Command.Group heading={t('search_nodes')}>
      {found.slice(0, MAX_SHOWN).map(({ node, place }) => (
        <Row
          key={node.id}
          value={`node ${node.id}`}
          tile={
            <NodeTile icon={catalog.get(node.type)?.icon} family={catalog.get(node.type)?.family} small />
          }
          title={getNodeLabel(node)}
          hint={place ?? (buildSubtitle(node.data) || (catalog.get(node.type)?.title ?? node.type))}
          onSelect={() => show(node.id)}
        />
      ))}
    </Command.Group>
  );
}

interface RowProps {
  value: string;
  tile: ReactNode;
  title: string;
  hint: string;
  onSelect: () => void;
}

function Row({ value, tile, title, hint, onSelect }: RowProps) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex cursor-pointer items-center gap-3 rounded-m px-2.5 py-1.5 data-[selected=true]:bg-hover"
    >
      {tile}
      <span className="min-w-0 grow">
        <span className="block truncate text-base">{title}</span>
        <span className="block truncate text-sm text-faint">{hint}</span>
      </span>
    </Command.Item>
  );
}
