import { type BoardCardDetail, updateBoardCard } from '@millrace/contracts';
import { Pencil, Play, Square, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslations } from 'use-intl';
import { type Act, useBoardCard, useCardAction } from '../../data/boards.ts';
import { Button } from '../../ui/actions/button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { Skeleton, SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { Sheet } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { Activity, Attachments, Runs } from './card-parts.tsx';
import { CardStatusChip, isActive } from './card-status.tsx';
import { useBoardsTexts } from './texts/use-boards-texts.ts';

const MarkdownView = lazy(() => import('../../ui/results/markdown.tsx'));

const failed = (error: Error): void => toast.failed(error.message);

interface CardSheetProps {
  board_id: string;
  card_id: string;
  mayWrite: boolean;
  isOwner: boolean;
  onDelete: (card: BoardCardDetail) => void;
  onClose: () => void;
}

/** A card beside its board: content, attachments, runs, comments and what happened. */
export function CardSheet({ board_id, card_id, mayWrite, isOwner, onDelete, onClose }: CardSheetProps) {
  const t = useBoardsTexts();
  const ui = useTranslations('ui');
  const query = useBoardCard(board_id, card_id);
  const act = useCardAction(board_id);
  const card = query.data;
  const perform: typeof act.mutateAsync = async (action) => act.mutateAsync(action).catch(failed);
  const isDoing = (what: 'run' | 'stop') => act.isPending && act.variables.do === what;
  return (
    <Sheet
      open
      width="large"
      onOpenChange={onClose}
      title={card?.title ?? t('card')}
      footer={
        card && mayWrite ? (
          <>
            <Button tone="danger" className="mr-auto" onClick={() => onDelete(card)}>
              <Trash2 aria-hidden />
              {ui('delete')}
            </Button>
            {isActive(card.run_status) ? (
              <Button busy={isDoing('stop')} onClick={() => void perform({ do: 'stop', card_id })}>
                <Square aria-hidden />
                {t('stop')}
              </Button>
            ) : (
              <Button busy={isDoing('run')} onClick={() => void perform({ do: 'run', card_id })}>
                <Play aria-hidden />
                {t('run_again')}
              </Button>
            )}
          </>
        ) : null
      }
    >
      {card ? (
        <div className="flex flex-col gap-6 p-4 sm:p-5">
          {card.run_status === 'idle' ? null : (
            <p>
              <CardStatusChip status={card.run_status} />
            </p>
          )}
          <Content key={card.id} card={card} mayWrite={mayWrite} act={act.mutateAsync} />
          <Attachments board_id={board_id} card={card} mayWrite={mayWrite} act={perform} />
          <Runs card={card} isOwner={isOwner} />
          <Activity card={card} mayWrite={mayWrite} act={act.mutateAsync} />
        </div>
      ) : query.isError ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <SkeletonRows />
      )}
    </Sheet>
  );
}

function Content({ card, mayWrite, act }: { card: BoardCardDetail; mayWrite: boolean; act: Act }) {
  const t = useBoardsTexts();
  const [editing, setEditing] = useState(false);
  if (editing) return <ContentForm card={card} act={act} onDone={() => setEditing(false)} />;
  return (
    <section aria-label={t('content')} className="flex flex-col gap-2">
      {card.content.trim() === '' ? (
        <p className="text-soft">{t('no_content')}</p>
      ) : (
        <Suspense fallback={<Skeleton className="h-16" />}>
          <MarkdownView text={card.content} />
        </Suspense>
      )}
      {mayWrite ? (
        <Button size="small" className="self-start" onClick={() => setEditing(true)}>
          <Pencil aria-hidden />
          {t('edit_card')}
        </Button>
      ) : null}
    </section>
  );
}

function ContentForm({ card, act, onDone }: { card: BoardCardDetail; act: Act; onDone: () => void }) {
  const t = useBoardsTexts();
  const ui = useTranslations('ui');
  const form = useForm({
    initial: { title: card.title, content: card.content },
    schema: updateBoardCard.body,
    submit: async (values) => {
      await act({ do: 'edit', card_id: card.id, ...values });
      onDone();
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-3">
      <FormProblem text={form.problem} />
      <Field label={t('card_title')} error={form.errors['title']}>
        {(control) => (
          <Input
            {...control}
            autoFocus
            value={form.values.title}
            onChange={(event) => form.change({ title: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('content')} optional hint={t('markdown_hint')} error={form.errors['content']}>
        {(control) => (
          <TextArea
            {...control}
            rows={10}
            value={form.values.content}
            onChange={(event) => form.change({ content: event.target.value })}
          />
        )}
      </Field>
      <span className="flex gap-2">
        <Button type="submit" tone="primary" busy={form.busy}>
          {ui('save')}
        </Button>
        <Button onClick={onDone}>{ui('cancel')}</Button>
      </span>
    </form>
  );
}
