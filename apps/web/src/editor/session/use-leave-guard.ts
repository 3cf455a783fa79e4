import { useBlocker } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { type EditorStore, isUnsaved } from '../store.ts';

/** Asks before unsaved work is left, by a link, by the browser's back button or by closing the page. */
export function useLeaveGuard(store: EditorStore): void {
  const t = useTranslations('editor.leave');
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (current.pathname === next.pathname || !isUnsaved(store.getState())) return false;
      const leave = await confirm({
        title: t('title'),
        body: t('body'),
        action: t('leave'),
        tone: 'primary',
      });
      return !leave;
    },
    enableBeforeUnload: () => isUnsaved(store.getState()),
  });
}
