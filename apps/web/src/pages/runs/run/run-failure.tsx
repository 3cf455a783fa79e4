import type { HistoryEntry } from '@millrace/contracts';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { readNodeStatus } from '../../../lib/run/node-status.ts';
import { unresolvedIn } from '../../../ui/results/unresolved.ts';
import { useRunsTexts } from '../texts/use-runs-texts.ts';

interface RunFailureProps {
  run: HistoryEntry;
  /** Shows the result at that index of `node_results`. */
  onShow?: (index: number) => void;
}

/** The failed node and what it said, above everything else. */
export function RunFailure({ run, onShow }: RunFailureProps) {
  const t = useRunsTexts();
  if (run.status !== 'error') return null;
  const index = run.node_results.findLastIndex((result) => readNodeStatus(result) === 'error');
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

/** Lists the nodes with unresolved references. */
export function RunUnresolved({ run, onShow }: RunFailureProps) {
  const t = useTranslations('ui');
  if (run.unresolved_references === 0) return null;
  const nodes = run.node_results.flatMap((result, index) => {
    const references = unresolvedIn(result.metadata);
    return references.length === 0 ? [] : [{ label: result.node_label, index, references }];
  });
  return (
    <div role="status" className="rounded-m border border-warning-line bg-warning-tint px-3 py-2 text-sm">
      <p className="flex items-center gap-2 font-medium text-warning">
        <TriangleAlert className="size-4 shrink-0" aria-hidden />
        {t('finished_unresolved', { count: run.unresolved_references })}
      </p>
      <ul className="max-h-32 overflow-y-auto pt-1 pl-6">
        {nodes.map(({ label, index, references }) => (
          <li key={index} className="break-words">
            {onShow ? (
              <button
                type="button"
                className="font-medium text-accent-text underline"
                onClick={() => onShow(index)}
              >
                {label}
              </button>
            ) : (
              <span className="font-medium">{label}</span>
            )}{' '}
            {references.map(({ reference }) => (
              <code key={reference} className="mr-2">
                {reference}
              </code>
            ))}
          </li>
        ))}
      </ul>
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
