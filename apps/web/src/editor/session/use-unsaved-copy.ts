import { useEffect } from 'react';
import { type DocumentStore, isUnsaved } from '../../features/document/store.ts';
import { type CopyPlace, dropUnsavedCopy, keepUnsavedCopy } from './unsaved-copy.ts';

const COPY_DELAY_MS = 400;

/** Keeps what is not saved yet in the browser, and forgets it when it is. */
export function useUnsavedCopy(
  store: DocumentStore,
  { user_id, workflow_id }: CopyPlace,
  base: () => string,
): void {
  useEffect(() => {
    const place = { user_id, workflow_id };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const keep = () => {
      clearTimeout(timer);
      timer = undefined;
      const state = store.getState();
      if (!isUnsaved(state)) return;
      keepUnsavedCopy(place, {
        document: state.document,
        base: state.saved,
        base_updated_at: base(),
        saved_at: Date.now(),
      });
    };
    const stop = store.subscribe((state, before) => {
      if (state.document === before.document && state.saved === before.saved) return;
      if (isUnsaved(state)) {
        timer ??= setTimeout(keep, COPY_DELAY_MS);
      } else {
        clearTimeout(timer);
        timer = undefined;
        dropUnsavedCopy(place);
      }
    });
    // The last moment before the page goes: nothing of what was typed in it is lost.
    const flush = () => timer !== undefined && keep();
    window.addEventListener('pagehide', flush);
    return () => {
      window.removeEventListener('pagehide', flush);
      flush();
      stop();
    };
  }, [store, user_id, workflow_id, base]);
}
