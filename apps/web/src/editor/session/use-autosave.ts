import { type RefObject, useCallback, useEffect } from 'react';
import { type EditorStore, isUnsaved } from '../state/store.ts';
import { type Autosave, createAutosave } from './autosave.ts';

/** Calls it when the network is back and when the page is hidden, which may be the last moment before it goes. */
function useMoments(act: () => void): void {
  useEffect(() => {
    const onHide = () => document.visibilityState === 'hidden' && act();
    window.addEventListener('online', act);
    document.addEventListener('visibilitychange', onHide);
    return () => {
      window.removeEventListener('online', act);
      document.removeEventListener('visibilitychange', onHide);
    };
  }, [act]);
}

/** Saves automatically after changes. `autosaveRef` lets other saves pause and resume it. */
export function useAutosave(
  autosaveRef: RefObject<Autosave | undefined>,
  store: EditorStore,
  save: () => Promise<boolean>,
): void {
  useEffect(() => {
    const current = createAutosave({ save });
    autosaveRef.current = current;
    const stop = store.subscribe(
      (now, before) => now.document !== before.document && isUnsaved(now) && current.changed(),
    );
    return () => {
      stop();
      current.close();
    };
  }, [autosaveRef, save, store]);
  useMoments(
    useCallback(() => isUnsaved(store.getState()) && autosaveRef.current?.now(), [autosaveRef, store]),
  );
}
