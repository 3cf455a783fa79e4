import { useBlocker } from '@tanstack/react-router';
import { type DocumentStore, isUnsaved } from '../../features/document/store.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import type { Saving } from './saving.ts';

/**
 * Saves what is left over before the editor is left by a link or the browser's back button, and asks when that fails. A
 * page that is closed keeps it in the browser, and asks only when saving has failed already.
 */
export function useLeaveGuard(store: DocumentStore, { save, state, conflict }: Saving): void {
  const t = useEditorTexts('leave');
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (current.pathname === next.pathname || !isUnsaved(store.getState())) return false;
      if (await save()) return false;
      const leave = await confirm({
        title: t('title'),
        body: t('body'),
        action: t('leave'),
        tone: 'primary',
      });
      return !leave;
    },
    enableBeforeUnload: () => isUnsaved(store.getState()) && (state === 'failed' || conflict !== undefined),
  });
}
