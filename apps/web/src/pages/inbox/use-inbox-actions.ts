import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import {
  findSendable,
  type RunFilters,
  useMoveEntries,
  useSendDeliveries,
  useStartReplayJob,
} from '../../data/inbox.ts';
import { runQuery } from '../../data/runs.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { useRunsTexts } from '../runs/texts/use-runs-texts.ts';
import { useRunAgain } from '../runs/use-run-again.ts';
import { useInboxTexts } from './texts/use-inbox-texts.ts';

const failed = (error: Error): undefined => {
  toast.failed(error.message);
};

/** Actions on entries of the inbox, with their messages and the ways back. */
export function useInboxActions() {
  const t = useInboxTexts();
  const ui = useTranslations('ui');
  const runsText = useRunsTexts();
  const client = useQueryClient();
  const { mutate: move } = useMoveEntries();
  const { mutateAsync: startJob } = useStartReplayJob();
  const { mutate: sendDeliveries } = useSendDeliveries();
  const again = useRunAgain();

  const restore = (ids: readonly string[]) =>
    move(
      { ids, dismissed: false },
      { onSuccess: () => toast.done(t('was_restored', { count: ids.length })), onError: failed },
    );
  const dismiss = (ids: readonly string[]) => {
    const undo = { label: ui('undo'), run: () => restore(ids) };
    const onSuccess = () => toast.done(t('was_dismissed', { count: ids.length }), { undo });
    move({ ids, dismissed: true }, { onSuccess, onError: failed });
  };
  /** Refused deliveries, each as the run that it would have started. */
  const send = (ids: readonly string[]) =>
    sendDeliveries(ids, {
      onSuccess({ sent, reasons }) {
        if (sent > 0) toast.done(t('was_sent', { count: sent }));
        const [reason] = reasons;
        if (reason !== undefined) toast.failed(t('was_not_sent', { count: reasons.length, reason }));
      },
      onError: failed,
    });
  /** All refused deliveries that can be sent and that the filters let through. */
  const sendAll = async (filters: Parameters<typeof findSendable>[0]) => {
    const ids = await findSendable(filters).catch(failed);
    if (!ids || ids.length === 0) return;
    const sure = await confirm({
      title: t('send_many_title', { count: ids.length }),
      body: t('send_many_body'),
      action: t('send_many'),
      tone: 'primary',
    });
    if (sure) send(ids);
  };
  /** One run, on the current version. */
  const replay = async (id: string) => {
    const run = await client.fetchQuery(runQuery(id)).catch(failed);
    if (run && (await again.one(run))) toast.done(runsText('again_started', { count: 1 }));
  };
  /** Many as one job: from the start on the current version, or from where they failed on their own. */
  const replayMany = async (
    what: { execution_ids: string[] } | { filter: RunFilters },
    { from, count }: { from: 'start' | 'failed'; count: number },
  ): Promise<boolean> => {
    const isStart = from === 'start';
    const sure = await confirm({
      title: runsText('again_many_title', { count }),
      body: isStart ? runsText('again_body') : runsText('from_failure_body'),
      action: isStart ? runsText('run_again') : runsText('from_failure'),
      tone: 'primary',
    });
    if (!sure) return false;
    return startJob({ body: { ...what, from, version: isStart ? 'current' : 'same' } }).then(
      () => true,
      (error: Error) => {
        failed(error);
        return false;
      },
    );
  };
  return { dismiss, restore, replay, replayMany, send, sendAll };
}
