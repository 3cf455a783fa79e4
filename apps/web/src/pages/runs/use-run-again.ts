import type { HistoryEntry } from '@millrace/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeEach } from '../../data/change-each.ts';
import { renew } from '../../data/endpoint.ts';
import { RUNS, runAgain, runFromFailure, runQuery } from '../../data/runs.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { useRunsTexts } from './texts/use-runs-texts.ts';

/** Repeats runs that have ended with their inputs on the current version; asks first, for nodes may act on the world. */
export function useRunAgain() {
  const t = useRunsTexts();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);

  const guarded = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    setBusy(true);
    try {
      return await work();
    } catch (error) {
      toast.failed(error instanceof Error ? error.message : String(error));
      return undefined;
    } finally {
      setBusy(false);
      void renew(client, RUNS);
    }
  };

  /** The new run's id, or undefined when the person thought better of it or it was refused. */
  const one = async (run: HistoryEntry): Promise<string | undefined> => {
    const sure = await confirm({
      title: t('again_title', { name: run.workflow_name }),
      body: t('again_body'),
      action: t('run_again'),
      tone: 'primary',
    });
    return sure ? guarded(() => runAgain(run)) : undefined;
  };

  /** The same from the failed node on, with what the nodes before it gave; on the version that ran, or on the draft. */
  const fromFailure = async (
    run: HistoryEntry,
    version: 'same' | 'draft' = 'same',
  ): Promise<string | undefined> => {
    const sure = await confirm({
      title: t('resume_title', { name: run.workflow_name }),
      body: version === 'draft' ? t('from_failure_draft_body') : t('from_failure_body'),
      action: t('from_failure'),
      tone: 'primary',
    });
    return sure ? guarded(() => runFromFailure(run, version)) : undefined;
  };

  const many = async (ids: readonly string[]): Promise<boolean> => {
    const sure = await confirm({
      title: t('again_many_title', { count: ids.length }),
      body: t('again_body'),
      action: t('run_again'),
      tone: 'primary',
    });
    if (!sure) return false;
    const done = await guarded(async () => {
      const started = await changeEach(ids, async (id) => runAgain(await client.fetchQuery(runQuery(id))));
      return started.done.length;
    });
    if (done === undefined) return false;
    if (done === ids.length) toast.done(t('again_started', { count: done }));
    else toast.failed(t('again_partly', { started: done, count: ids.length }));
    return true;
  };

  return { one, fromFailure, many, busy };
}
