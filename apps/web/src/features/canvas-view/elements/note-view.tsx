import { readText } from '@millrace/engine/json';
import { type NodeProps, NodeResizer } from '@xyflow/react';
import { clsx } from 'clsx';
import { memo, Suspense, useState } from 'react';
import { lazy } from '../../../lib/code/lazy.ts';
import { setParameter } from '../../document/change.ts';
import { useOpenDocument } from '../../document/context.ts';
import { updateNode } from '../../document/edit.ts';
import { useOptionalCanvasActions } from '../canvas-actions.tsx';
import { useCanvasViewTexts } from '../texts/use-canvas-view-texts.ts';
import type { CanvasNode } from './flow-elements.ts';

const MarkdownView = lazy(() => import('../../../ui/results/markdown.tsx'));

const SMALLEST = { width: 160, height: 90 } as const;
const COLORS = new Set(['yellow', 'sky', 'emerald', 'rose', 'violet', 'zinc']);

const numberOr = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);
/** A sticky note: markdown without raw HTML. */
export const NoteView = memo(function NoteView({ id, data: node, selected }: NodeProps<CanvasNode>) {
  const t = useCanvasViewTexts();
  const { store } = useOpenDocument();
  const isDrawn = useOptionalCanvasActions() !== undefined;
  const color = readText(node.data['stickyColor']);
  const width = numberOr(node.data['stickyWidth'], 240);
  const height = numberOr(node.data['stickyHeight'], 160);
  const resize = (size: { width: number; height: number; x: number; y: number }) =>
    store.getState().edit((document) =>
      updateNode(document, id, (current) => ({
        ...current,
        position: { x: size.x, y: size.y },
        data: { ...current.data, stickyWidth: Math.round(size.width), stickyHeight: Math.round(size.height) },
      })),
    );
  const title = readText(node.data['stickyTitle']);
  const text = readText(node.data['note']);
  const [isWriting, setWriting] = useState(false);
  const write = (note: string) => {
    setWriting(false);
    if (note !== text)
      store.getState().edit((document) => setParameter(document, id, { name: 'note', value: note }));
  };
  return (
    <div
      onDoubleClick={() => setWriting(isDrawn)}
      style={{ width, height }}
      data-note={COLORS.has(color) ? color : 'yellow'}
      className={clsx(
        'canvas-note overflow-auto rounded-l border p-3 text-sm',
        selected && 'ring-2 ring-accent-line',
      )}
    >
      <NodeResizer
        isVisible={selected && isDrawn}
        minWidth={SMALLEST.width}
        minHeight={SMALLEST.height}
        onResizeEnd={(_event, size) => resize(size)}
      />
      {title ? <p className="mb-1 font-semibold">{title}</p> : null}
      {isWriting ? (
        <NoteEditor text={text} onDone={write} />
      ) : text === '' ? (
        <p className="text-soft italic">{t('note_empty')}</p>
      ) : (
        <Suspense>
          <MarkdownView text={text} />
        </Suspense>
      )}
    </div>
  );
});

interface NoteEditorProps {
  text: string;
  onDone: (text: string) => void;
}

/** Writes in place; leaving keeps the text, also by Escape: undo takes it back. */
function NoteEditor({ text, onDone }: NoteEditorProps) {
  const t = useCanvasViewTexts();
  return (
    <textarea
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- the double click asked for it
      autoFocus
      aria-label={t('note_text')}
      placeholder={t('note_placeholder')}
      defaultValue={text}
      className="nodrag nowheel nopan size-full resize-none bg-transparent font-mono text-sm outline-none"
      onFocus={(event) => event.target.setSelectionRange(text.length, text.length)}
      onBlur={(event) => onDone(event.target.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        const isDone = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
        if (isDone || event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
}
