import { clsx } from 'clsx';
import { TriangleAlert } from 'lucide-react';
import { useTranslations } from 'use-intl';
import type { Unresolved } from './unresolved.ts';

interface UnresolvedListProps {
  references: readonly Unresolved[];
  className?: string;
}

/** The unresolved references of a node, each with its field and what the text shows instead. */
export function UnresolvedList({ references, className }: UnresolvedListProps) {
  const t = useTranslations('ui');
  if (references.length === 0) return null;
  return (
    <div role="status" className={clsx('bg-warning-tint px-3.5 py-2 text-sm', className)}>
      <p className="flex items-center gap-2 font-medium text-warning">
        <TriangleAlert className="size-4 shrink-0" aria-hidden />
        {t('unresolved', { count: references.length })}
      </p>
      <ul className="pt-1 pl-6">
        {references.map(({ field, reference, instead }) => (
          <li key={`${field} ${reference}`} className="break-words">
            <code>{reference}</code>{' '}
            <span className="text-soft">
              {field === null ? '' : `${t('unresolved_field', { field })} `}
              {t(instead === '' ? 'unresolved_empty' : 'unresolved_kept')}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
