import { useReactFlow } from '@xyflow/react';
import { useEffect } from 'react';
import type { NodeSearchRequest } from '../../../features/canvas-view/canvas-actions.tsx';
import { allCommands, useCommandStore } from '../../../lib/commands.ts';
import { createKeyHandler, readKey } from '../../../lib/keyboard/key-handler.ts';
import { inDialog, isTyping } from '../../../lib/keyboard/typing.ts';
import { useEditor } from '../../state/context.tsx';
import { useNodeActions } from './use-node-actions.ts';
import { useOpenNode } from './use-open-node.ts';

/** Nothing, or something on the canvas, has the focus: keys that buttons and lists use too are the canvas's own. */
function isOnCanvas(target: EventTarget | null): boolean {
  // A connection that has the focus is drawn as SVG.
  if (!(target instanceof Element)) return false;
  if (target === document.body || target.id === 'content') return true;
  return target.closest('.react-flow') !== null && target.closest('button, a') === null;
}

/** Whether a shortcut of the page is this letter, or begins with it. */
const isShortcut = (letter: string): boolean =>
  allCommands(useCommandStore.getState().sources).some(
    ({ keys }) => keys?.split(' ')[0] === letter.toLowerCase(),
  );

/**
 * The rule of plain letters: one that is a shortcut, or begins one, is only that; every other letter is the first of the
 * search for a node type to add. The list that `?` shows says so.
 */
function beginsSearch(event: KeyboardEvent): boolean {
  const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat);
  return isPlain && /^\p{L}$/u.test(event.key) && !isShortcut(readKey(event));
}

/**
 * Keys of the canvas that text fields, buttons and lists use for themselves; the others are commands of the shell. The
 * list that `?` shows names both.
 */
export function useCanvasKeys(openSearch: (request: NodeSearchRequest) => void): void {
  const { store } = useEditor();
  const flow = useReactFlow();
  const openNode = useOpenNode();
  const actions = useNodeActions();
  useEffect(() => {
    const anywhere = (act: () => void) => (event: KeyboardEvent) => {
      if (isTyping(event.target) || inDialog()) return;
      event.preventDefault();
      act();
    };
    const onCanvas = (act: () => void) => (event: KeyboardEvent) => {
      if (isOnCanvas(event.target) && !inDialog()) anywhere(act)(event);
    };
    const onKey = createKeyHandler({
      '$mod+z': anywhere(() => store.getState().undo()),
      '$mod+Shift+z': anywhere(() => store.getState().redo()),
      '$mod+y': anywhere(() => store.getState().redo()),
      '$mod+a': onCanvas(actions.selectAll),
      '$mod+d': anywhere(actions.duplicate),
      '$mod+f': anywhere(() => openSearch({ find: true })),
      n: anywhere(() => openSearch({})),
      Delete: onCanvas(actions.remove),
      Backspace: onCanvas(actions.remove),
      Escape: onCanvas(() => store.getState().select({})),
      Enter: onCanvas(() => {
        const [only, ...others] = actions.chosen();
        if (only !== undefined && others.length === 0) openNode(only);
      }),
    });
    const onLetter = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && beginsSearch(event))
        onCanvas(() => openSearch({ text: event.key }))(event);
    };
    const pointer = { x: -1, y: -1 };
    const onPointer = (event: PointerEvent) => {
      pointer.x = event.clientX;
      pointer.y = event.clientY;
    };
    /** Under the pointer, when it is over the canvas. */
    const pastePlace = () => {
      const isOver = document.elementFromPoint(pointer.x, pointer.y)?.closest('.react-flow');
      return isOver ? flow.screenToFlowPosition(pointer) : undefined;
    };
    const onCopy = (event: ClipboardEvent) => {
      const isText = isTyping(event.target) || String(getSelection()) !== '';
      if (isText || inDialog() || actions.chosen().size === 0) return;
      event.clipboardData?.setData('text/plain', actions.clipText());
      event.preventDefault();
      if (event.type === 'cut') actions.remove();
    };
    const onPaste = (event: ClipboardEvent) => {
      if (isTyping(event.target) || inDialog()) return;
      if (actions.paste(event.clipboardData?.getData('text/plain') ?? '', pastePlace()))
        event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    window.addEventListener('keydown', onLetter);
    window.addEventListener('pointermove', onPointer, { passive: true });
    window.addEventListener('copy', onCopy);
    window.addEventListener('cut', onCopy);
    window.addEventListener('paste', onPaste);
    return () => {
      window.removeEventListener('keydown', onKey);
      window.removeEventListener('keydown', onLetter);
      window.removeEventListener('pointermove', onPointer);
      window.removeEventListener('copy', onCopy);
      window.removeEventListener('cut', onCopy);
      window.removeEventListener('paste', onPaste);
    };
  }, [store, actions, flow, openSearch, openNode]);
}
