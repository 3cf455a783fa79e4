import type { PortalVisitor } from '@millrace/contracts';
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import { usePortalVisitors, VISITORS_PER_PAGE } from '../../../../data/portal-conversations.ts';
import { Button } from '../../../../ui/actions/button.tsx';
import { LoadFailed } from '../../../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../../../ui/display/skeleton.tsx';
import { Ago } from '../../../../ui/display/time.tsx';
import { Pager } from '../pager.tsx';
import { usePortalTexts } from '../texts/use-portal-texts.ts';
import { PortalConversations } from './portal-conversations.tsx';
import { useVisitorName } from './use-visitor-name.ts';

/** Who writes in the chat: people with a login by name, and others by the browser that they use. */
export function PortalVisitors({ id, isOwner }: { id: string; isOwner: boolean }) {
  const t = usePortalTexts();
  const getVisitorName = useVisitorName();
  const [page, setPage] = useState(0);
  const [open, setOpen] = useState<PortalVisitor>();
  const list = usePortalVisitors(id, page);
  if (open)
    return (
      <div className="pt-4">
        <div className="flex flex-wrap items-center gap-3">
          <Button size="small" onClick={() => setOpen(undefined)} autoFocus>
            <ArrowLeft aria-hidden />
            {t('all_visitors')}
          </Button>
          <h3 className="text-base">{getVisitorName(open)}</h3>
        </div>
        <PortalConversations id={id} isOwner={isOwner} visitor_id={open.visitor_id} />
      </div>
    );
  if (list.isLoadingError) return <LoadFailed error={list.error} onRetry={() => void list.refetch()} />;
  if (!list.data) return <SkeletonRows rows={4} />;
  const { items, total } = list.data;
  if (total === 0) return <p className="pt-4 text-base text-soft">{t('no_visitors')}</p>;
  return (
    <div className="flex flex-col gap-3 pt-4">
      <p className="text-sm text-soft">{t('visitor_count', { count: total })}</p>
      <ul className="flex flex-col divide-y divide-line">
        {items.map((visitor) => (
          <li key={visitor.visitor_id}>
            <button
              type="button"
              className="flex w-full flex-wrap items-baseline gap-x-3 rounded-s px-1 py-2 text-left hover:bg-hover"
              onClick={() => setOpen(visitor)}
            >
              <span dir="auto" className="min-w-0 grow basis-40 truncate">
                {getVisitorName(visitor)}
              </span>
              <span className="text-sm text-soft">
                {t('conversation_count', { count: visitor.conversation_count })}
              </span>
              <span className="text-sm text-soft">
                {t('message_count', { count: visitor.message_count })}
              </span>
              <span className="text-sm text-faint">
                <span className="sr-only">{t('last_active')} </span>
                <Ago at={visitor.last_active_at} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      <Pager page={page} pages={Math.ceil(total / VISITORS_PER_PAGE)} onPage={setPage} />
    </div>
  );
}
