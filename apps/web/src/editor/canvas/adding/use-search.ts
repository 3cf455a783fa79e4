import { useCallback, useEffect, useLayoutEffect, useState } from 'react';
import type { NodeSearchRequest } from '../../../features/canvas-view/canvas-actions.tsx';
import { isTyping } from '../../../lib/keyboard/typing.ts';

type Ask = (next: NodeSearchRequest | undefined) => void;

/**
 * The open search, and what asks for it; undefined closes it. Keys that come before the search is there are typed into it:
 * as shortcuts they would change the selected node.
 *
 * @param load the code of the search, behind the first paint, so that it is there when the first letter is typed
 */
export function useSearch(load: () => unknown): readonly [NodeSearchRequest | undefined, Ask] {
  const [request, ask] = useState<NodeSearchRequest>();
  useEffect(() => void load(), [load]);
  const isOpen = request !== undefined;
  const onKey = useCallback((event: KeyboardEvent) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return;
    if (target instanceof Element && target.closest('[role="dialog"]')) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    ask((before) => {
      if (before === undefined || key === 'Escape') return undefined;
      const { text = '' } = before;
      if (key === 'Backspace') return { ...before, text: text.slice(0, -1) };
      return key.length === 1 ? { ...before, text: text + key } : before;
    });
  }, []);
  useLayoutEffect(() => {
    if (!isOpen) return;
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [isOpen, onKey]);
  return [request, ask];
}
