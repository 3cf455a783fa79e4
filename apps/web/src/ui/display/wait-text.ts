import { useFormatter, useTranslations } from 'use-intl';

const KINDS = ['review', 'timer', 'callback', 'upload', 'batch', 'runner', 'child'] as const;
const DUE = { dateStyle: 'short', timeStyle: 'short' } as const;

type Metadata = Readonly<Record<string, unknown>>;

/** Says in words what a node waits for and until when; undefined for a result of a node that does not wait. */
export function useWaitText(): (metadata: Metadata | undefined) => string | undefined {
  const t = useTranslations('waits');
  const format = useFormatter();
  return (metadata) => {
    const kind = KINDS.find((known) => known === metadata?.['waits_for']);
    if (!kind) return undefined;
    const due = metadata?.['due_at_ms'];
    if (typeof due !== 'number') return t(kind);
    return t('until', { reason: t(kind), at: format.dateTime(new Date(due), DUE) });
  };
}
