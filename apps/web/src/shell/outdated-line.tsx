import { notifyManager, type QueryCache, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl';
import { useStore } from 'zustand';
import { isOutdated } from '../data/query-client.ts';
import { awaitedServer } from '../lib/code/load-code.ts';
import { Button } from '../ui/actions/button.tsx';

function useIsOutdated(cache: QueryCache): boolean {
  return useSyncExternalStore(
    useCallback((onChange) => cache.subscribe(notifyManager.batchCalls(onChange)), [cache]),
    () => cache.getAll().some(isOutdated),
  );
}

const LINE = 'flex shrink-0 items-center gap-3 border-t border-line px-4 py-1.5 text-sm text-soft sm:px-5';

/**
 * Below every page: says that data on screen could not be refreshed, or that what was opened waits for the server. At the
 * bottom, so that nothing moves under the pointer.
 */
export function OutdatedLine() {
  const t = useTranslations('ui');
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const isOld = useIsOutdated(client.getQueryCache());
  const isAwaited = useStore(awaitedServer, (state) => state.isAwaited);
  if (isAwaited)
    return (
      <div className={LINE}>
        <p role="status">{t('waits_for_server')}</p>
      </div>
    );
  if (!isOld) return null;
  const refresh = async () => {
    setBusy(true);
    await client.refetchQueries({ predicate: isOutdated });
    setBusy(false);
  };
  return (
    <div className={LINE}>
      <p role="status">{t('refresh_failed')}</p>
      <Button size="small" busy={busy} onClick={() => void refresh()}>
        {t('try_again')}
      </Button>
    </div>
  );
}
