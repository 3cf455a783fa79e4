import type { HistoryEntry } from '@millrace/contracts';
import { CircleAlert } from 'lucide-react';
import { useRunsTexts } from '../texts/use-runs-texts.ts';

/** The failed node and what it said, above everything else. */
export function RunFailure({ run, onShow }: { run: HistoryEntry; onShow?: (node: number) => void }) {
  const t = useRunsTexts();
  if (run.status !== 'error') return null;
  const index = run.node_results.findLastIndex((result) => result.status === 'error');
  const failed = run.node_results[index];
  const message = failed?.error ?? outputMessage(run.outputs);
  return (
    <div role="status" className="rounded-m border border-danger-line bg-danger-tint px-3 py-2">
      <p className="flex items-center gap-2 font-medium text-danger">
        <CircleAlert className="size-4 shrink-0" aria-hidden />
        {failed ? t('failed_at', { node: failed.node_label }) : t('failed')}
      </p>
      {message ? <p className="mt-1 text-base break-words text-text">{message}</p> : null}
      {failed && onShow ? (
        <button
          type="button"
          className="mt-1 text-sm font-medium text-accent-text underline"
          onClick={() => onShow(index)}
        >
          {t('show_node')}
        </button>
      ) : null}
    </div>
  );
}

/** Of cancelled runs, those that no person has stopped. */
export function RunDropped({ run: { status, outputs } }: { run: HistoryEntry }) {
  const reason = status === 'cancelled' ? (outputs as { reason?: unknown } | null)?.reason : undefined;
  if (reason !== 'queue_full') return null;
  return (
    <p role="status" className="rounded-m border border-line-strong bg-sunken px-3 py-2 text-sm">
      {outputMessage(outputs)}
    </p>
  );
}

function outputMessage(outputs: unknown): string | undefined {
  if (typeof outputs !== 'object' || outputs === null) return undefined;
  const value = (outputs as { error?: unknown }).error;
  return typeof value === 'string' ? value : undefined;
}
