import { useReactFlow } from '@xyflow/react';
import { useEffect } from 'react';
import { tinykeys } from 'tinykeys';
import { isTyping } from '../../lib/typing.ts';
import { allCommands, useCommandStore } from '../../shell/commands.ts';
import { useEditor } from '../context.tsx';
import type { NodeSearchRequest } from './adding/node-search.tsx';
import { useNodeActions } from './use-node-actions.ts';
import { useOpenNode } from './use-open-node.ts';

const NEEDS_NODES: ReadonlySet<string> = new Set(['editor.toggle', 'editor.pin']);

export const inDialog = (): boolean =>
  document.querySelector('[role="dialog"], [role="menu"], [role="alertdialog"]') !== null;

/** Nothing, or something on the canvas, has the focus: keys that buttons and lists use too are the canvas's own. */
function isOnCanvas(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target === document.body || target.id === 'content') return true;
  return target.closest('.react-flow') !== null && target.closest('button, a') === null;
}

/** Letters that mean something already; those for chosen nodes only while there are some. */
function isTaken(letter: string, isChosen: boolean): boolean {
  const keys = allCommands(useCommandStore.getState().sources).flatMap(({ keys: text = '', id }) =>
    isChosen || !NEEDS_NODES.has(id) ? [text.split(' ')[0] ?? ''] : [],
  );
  return letter === 'n' || keys.includes(letter.toLowerCase());
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
    const stopKeys = tinykeys(window, {
      '$mod+KeyZ': anywhere(() => store.getState().undo()),
      '$mod+Shift+KeyZ': anywhere(() => store.getState().redo()),
      '$mod+KeyY': anywhere(() => store.getState().redo()),
      '$mod+KeyA': onCanvas(actions.selectAll),
      '$mod+KeyD': anywhere(actions.duplicate),
      '$mod+KeyF': anywhere(() => openSearch({ find: true })),
      KeyN: anywhere(() => openSearch({})),
      Delete: onCanvas(actions.remove),
      Backspace: onCanvas(actions.remove),
      Escape: onCanvas(() => store.getState().select({})),
      Enter: onCanvas(() => {
        const [only, ...others] = actions.chosen();
        if (only !== undefined && others.length === 0) openNode(only);
      }),
    });
    /** Any other letter looks for a node type to add that begins so. */
    const onLetter = (event: KeyboardEvent) => {
      const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat);
      if (!isPlain || event.defaultPrevented || !/^\p{L}$/u.test(event.key)) return;
      if (!isOnCanvas(event.target) || inDialog() || isTaken(event.key, actions.chosen().size > 0)) return;
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
    window.addEventListener('keydown', onLetter);
    window.addEventListener('pointermove', onPointer, { passive: true });
    window.addEventListener('copy', onCopy);
    window.addEventListener('cut', onCopy);
    window.addEventListener('paste', onPaste);
    return () => {
      stopKeys();
      window.removeEventListener('keydown', onLetter);
      window.removeEventListener('pointermove', onPointer);
      window.removeEventListener('copy', onCopy);
      window.removeEventListener('cut', onCopy);
      window.removeEventListener('paste', onPaste);
    };
  }, [store, actions, flow, openSearch, openNode]);
}
