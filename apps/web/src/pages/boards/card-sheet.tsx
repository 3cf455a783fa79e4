import { type BoardCardDetail, type BoardColumn, updateBoardCard } from '@millrace/contracts';
import { Pencil, Play, Square, Trash2 } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { type Act, useBoardCard, useCardAction } from '../../data/boards.ts';
import { lazy } from '../../lib/code/lazy.ts';
import { Button } from '../../ui/actions/button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { Skeleton, SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Badge } from '../../ui/display/status-chip.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { Sheet } from '../../ui/overlays/dialog.tsx';
import { showFailure } from '../../ui/overlays/toast.ts';
import { Activity, Attachments, Runs } from './card-parts.tsx';
import { CardStatusChip, isActive } from './card-status.tsx';
import { useBoardsTexts } from './texts/use-boards-texts.ts';

const MarkdownView = lazy(() => import('../../ui/results/markdown.tsx'));

interface CardSheetProps {
  board_id: string;
  card_id: string;
  columns: readonly BoardColumn[];
  mayWrite: boolean;
  isOwner: boolean;
  onMove: (card: BoardCardDetail, column_id: string) => void;
  onDelete: (card: BoardCardDetail) => void;
  onClose: () => void;
}

/** A card beside its board: content, attachments, runs, comments and what happened. */
export function CardSheet(props: CardSheetProps) {
  const { board_id, card_id, columns, mayWrite, isOwner, onMove, onDelete, onClose } = props;
  const t = useBoardsTexts();
  const ui = useTranslations('ui');
  const query = useBoardCard(board_id, card_id);
  const act = useCardAction(board_id);
  const card = query.data;
  const column = columns.find(({ id }) => id === card?.column_id);
  const [editing, setEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const perform: typeof act.mutateAsync = async (action) => act.mutateAsync(action).catch(showFailure);
  const isDoing = (what: 'run' | 'stop') => act.isPending && act.variables.do === what;
  return (
    <Sheet
      open
      width="large"
      onOpenChange={onClose}
      title={card?.title ?? t('card')}
      actions={
        card && mayWrite ? (
          <Button ref={edit} tone="quiet" size="small" onClick={() => setEditing(true)}>
            <Pencil aria-hidden />
            {t('edit_card')}
          </Button>
        ) : null
      }
      footer={
        card && mayWrite ? (
          <>
            <Button tone="quiet-danger" className="mr-auto" onClick={() => onDelete(card)}>
              <Trash2 aria-hidden />
              {ui('delete')}
            </Button>
            {isActive(card.run_status) ? (
              <Button busy={isDoing('stop')} onClick={() => void perform({ do: 'stop', card_id })}>
                <Square aria-hidden />
                {t('stop')}
              </Button>
            ) : column?.workflows.length ? (
              <Button busy={isDoing('run')} onClick={() => void perform({ do: 'run', card_id })}>
                <Play aria-hidden />
                {card.runs.length === 0 ? t('run') : t('run_again')}
              </Button>
            ) : null}
          </>
        ) : null
      }
    >
      {card ? (
        <div className="flex flex-col gap-6 p-4 sm:p-5">
          <div className="flex flex-wrap items-center gap-2.5">
            {mayWrite ? (
              <Select
                fit
                size="small"
                className="max-w-full"
                aria-label={t('column')}
                value={card.column_id}
                choices={columns.map(({ id, name }) => ({ value: id, label: name }))}
                onChange={(column_id) => onMove(card, column_id)}
              />
            ) : (
              <Badge>{column?.name}</Badge>
            )}
            <CardStatusChip status={card.run_status} />
          </div>
          {editing ? (
            <ContentForm
              card={card}
              act={act.mutateAsync}
              onDone={() => {
                setEditing(false);
                edit.current?.focus();
              }}
            />
          ) : (
            <Content card={card} />
          )}
          <Attachments board_id={board_id} card={card} mayWrite={mayWrite} act={perform} />
          <Runs card={card} isOwner={isOwner} />
          <Activity
            card={card}
            mayWrite={mayWrite}
            mayRun={column !== undefined && column.workflows.length > 0}
            act={act.mutateAsync}
          />
        </div>
      ) : query.isLoadingError ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <SkeletonRows />
      )}
    </Sheet>
  );
}

function Content({ card }: { card: BoardCardDetail }) {
  const t = useBoardsTexts();
  return (
    <section aria-label={t('content')}>
      {card.content.trim() === '' ? (
        <p className="text-soft">{t('no_content')}</p>
      ) : (
        <Suspense fallback={<Skeleton className="h-16" />}>
          <MarkdownView text={card.content} />
        </Suspense>
      )}
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
