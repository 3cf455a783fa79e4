import type { PortalTurn } from '@millrace/contracts';
import { answerText, questionText } from '@millrace/contracts/portal-text';
import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import {
  CONVERSATIONS_PER_PAGE,
  useDeleteWorkflowConversation,
  useWorkflowConversation,
  useWorkflowConversations,
} from '../../../../data/portal-conversations.ts';
import { Button } from '../../../../ui/actions/button.tsx';
import { LoadFailed } from '../../../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../../../ui/display/skeleton.tsx';
import { StatusChip } from '../../../../ui/display/status-chip.tsx';
import { Ago, DateTime } from '../../../../ui/display/time.tsx';
import { FormProblem } from '../../../../ui/forms/form-problem.tsx';
import { confirm } from '../../../../ui/overlays/confirm-store.ts';
import { Pager } from '../pager.tsx';
import { usePortalTexts } from '../texts/use-portal-texts.ts';
import { useVisitorName } from './use-visitor-name.ts';

interface ConversationsProps {
  id: string;
  isOwner: boolean;
  /** Only those of this visitor. */
  visitor_id?: string;
}

/** The messages that visitors of the portal wrote, with the runs that answered them. */
export function PortalConversations({ id, isOwner, visitor_id }: ConversationsProps) {
  const t = usePortalTexts();
  const getVisitorName = useVisitorName();
  const [page, setPage] = useState(0);
  const [open, setOpen] = useState<string>();
  const list = useWorkflowConversations(id, { page, visitor_id });
  if (open !== undefined)
    return <OneConversation {...{ id, isOwner }} conversation_id={open} onBack={() => setOpen(undefined)} />;
  if (list.isLoadingError) return <LoadFailed error={list.error} onRetry={() => void list.refetch()} />;
  if (!list.data) return <SkeletonRows rows={4} />;
  const { items, total } = list.data;
  const pages = Math.ceil(total / CONVERSATIONS_PER_PAGE);
  if (total === 0) return <p className="pt-4 text-base text-soft">{t('no_conversations')}</p>;
  return (
    <div className="flex flex-col gap-3 pt-4">
      <p className="text-sm text-soft">{t('conversation_count', { count: total })}</p>
      <ul className="flex flex-col divide-y divide-line">
        {items.map((item) => (
          <li key={item.id}>
            <button
              type="button"
              className="flex w-full flex-wrap items-baseline gap-x-3 rounded-s px-1 py-2 text-left hover:bg-hover"
              onClick={() => setOpen(item.id)}
            >
              <span dir="auto" className="min-w-0 grow basis-48 truncate">
                {item.title}
              </span>
              <span className="text-sm text-soft">{getVisitorName(item)}</span>
              <span className="text-sm text-soft">{t('message_count', { count: item.turn_count })}</span>
              <Ago at={item.updated_at} className="text-sm text-faint" />
            </button>
          </li>
        ))}
      </ul>
      <Pager page={page} pages={pages} onPage={setPage} />
    </div>
  );
}

interface OneProps {
  id: string;
  isOwner: boolean;
  conversation_id: string;
  onBack: () => void;
}

function OneConversation({ id, isOwner, conversation_id, onBack }: OneProps) {
  const t = usePortalTexts();
  const getVisitorName = useVisitorName();
  const conversation = useWorkflowConversation(id, conversation_id);
  const remove = useDeleteWorkflowConversation(id);
  const askToDelete = async () => {
    const sure = await confirm({
      title: t('delete_title'),
      body: t('delete_body'),
      action: t('delete_conversation'),
    });
    if (sure) remove.mutate(conversation_id, { onSuccess: onBack });
  };
  return (
    <div className="flex flex-col gap-3 pt-4">
      <div className="flex flex-wrap items-center gap-2">
        <Button size="small" onClick={onBack} autoFocus>
          <ArrowLeft aria-hidden />
          {t('all_conversations')}
        </Button>
        {isOwner ? (
          <Button
            size="small"
            tone="quiet-danger"
            className="ml-auto"
            busy={remove.isPending}
            onClick={() => void askToDelete()}
          >
            {t('delete_conversation')}
          </Button>
        ) : null}
      </div>
      <FormProblem text={remove.error?.message} />
      {conversation.isLoadingError ? (
        <LoadFailed error={conversation.error} onRetry={() => void conversation.refetch()} />
      ) : null}
      {conversation.isPending ? <SkeletonRows rows={4} /> : null}
      {conversation.data ? (
        <>
          <p className="text-sm text-soft">
            {getVisitorName(conversation.data)}, <DateTime at={conversation.data.created_at} />
          </p>
          <ol className="flex flex-col gap-4">
            {conversation.data.turns.map((turn) => (
              <Turn key={turn.execution_id} turn={turn} />
            ))}
          </ol>
        </>
      ) : null}
    </div>
  );
}

function Turn({ turn }: { turn: PortalTurn }) {
  const t = usePortalTexts();
  const { execution_id, inputs, status, outputs, created_at } = turn;
  const answer = status === 'success' ? answerText(outputs) : '';
  return (
    <li className="flex flex-col gap-1.5">
      <p dir="auto" className="rounded-m bg-sunken px-3 py-2 break-words whitespace-pre-wrap">
        {questionText(inputs)}
      </p>
      {answer ? (
        <p dir="auto" className="px-3 break-words whitespace-pre-wrap">
          {answer}
        </p>
      ) : null}
      <p className="flex flex-wrap items-center gap-3 px-3 text-sm text-soft">
        <StatusChip status={status} />
        <DateTime at={created_at} seconds />
        <Link to="/runs/$id" params={{ id: execution_id }} className="text-accent-text underline">
          {t('show_run')}
        </Link>
      </p>
    </li>
  );
}
