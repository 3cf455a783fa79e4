import type { BoardCardDetail, CardActivity } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { Download, Paperclip, Play, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslations } from 'use-intl';
import { type Act, downloadAttachment } from '../../data/boards.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Skeleton } from '../../ui/display/skeleton.tsx';
import { StatusChip } from '../../ui/display/status-chip.tsx';
import { Ago } from '../../ui/display/time.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { pickFiles } from '../../ui/forms/file-drop.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { ResultView } from '../../ui/results/result-view.tsx';
import { isActive } from './card-status.tsx';
import { useBoardsTexts } from './texts/use-boards-texts.ts';

const MarkdownView = lazy(() => import('../../ui/results/markdown.tsx'));

interface PartProps {
  card: BoardCardDetail;
  mayWrite: boolean;
  act: Act;
}

const HEADING = 'pb-2 text-base font-semibold';

export function Attachments({ board_id, card, mayWrite, act }: PartProps & { board_id: string }) {
  const t = useBoardsTexts();
  const [isSending, setIsSending] = useState(false);
  const attach = async () => {
    const [file] = await pickFiles({ multiple: false });
    if (!file) return;
    setIsSending(true);
    await act({ do: 'attach', card_id: card.id, file });
    setIsSending(false);
  };
  if (card.attachments.length === 0 && !mayWrite) return null;
  return (
    <section>
      <h3 className={HEADING}>{t('attachments')}</h3>
      <ul className="flex flex-col">
        {card.attachments.map(({ id, filename }) => (
          <li key={id} className="flex h-8 min-w-0 items-center gap-2">
            <Paperclip className="size-4 shrink-0 text-faint" aria-hidden />
            <span className="min-w-0 grow truncate">{filename}</span>
            <IconButton
              size="small"
              label={t('download', { name: filename })}
              icon={<Download aria-hidden />}
              onClick={() =>
                void downloadAttachment(
                  { id: board_id, card_id: card.id, attachment_id: id },
                  filename,
                ).catch((error: Error) => toast.failed(error.message))
              }
            />
            {mayWrite ? (
              <IconButton
                size="small"
                label={t('remove', { name: filename })}
                icon={<Trash2 aria-hidden />}
                onClick={() => void act({ do: 'detach', card_id: card.id, attachment_id: id })}
              />
            ) : null}
          </li>
        ))}
      </ul>
      {mayWrite ? (
        <Button size="small" busy={isSending} onClick={() => void attach()}>
          <Paperclip aria-hidden />
          {t('attach')}
        </Button>
      ) : null}
    </section>
  );
}

const RUN_WORDS = { waiting_review: 'pending', pending: 'queued' } as const;

/** Workflows that ran on the card, newest chain first, with what they put out. They run as the owner, whose runs they are. */
export function Runs({ card, isOwner }: Pick<PartProps, 'card'> & { isOwner: boolean }) {
  const t = useBoardsTexts();
  if (card.runs.length === 0) return null;
  return (
    <section>
      <h3 className={HEADING}>{t('runs')}</h3>
      <ol className="flex flex-col gap-2">
        {card.runs.map((run, at) => (
          <li key={run.id} className="flex flex-col gap-2 rounded-m border border-line p-2.5">
            <span className="flex flex-wrap items-center gap-2">
              <StatusChip
                status={
                  run.status === 'waiting_review' || run.status === 'pending'
                    ? RUN_WORDS[run.status]
                    : run.status
                }
              />
              {isOwner && run.execution_history_id ? (
                <Link
                  to="/runs/$id"
                  params={{ id: run.execution_history_id }}
                  className="font-medium hover:underline"
                >
                  {run.workflow_name}
                </Link>
              ) : (
                <span className="font-medium">{run.workflow_name}</span>
              )}
              <span className="text-sm text-faint">
                {t('place_in_chain', {
                  at: run.chain_position,
                  of: run.chain_length,
                  column: run.column_name,
                })}
              </span>
              {run.started_at ? <Ago at={run.started_at} className="text-sm text-faint" /> : null}
            </span>
            {run.error ? <p className="text-sm break-words text-danger">{run.error}</p> : null}
            {run.output_is_cut ? <p className="text-sm text-soft">{t('output_cut')}</p> : null}
            {run.output === null ? null : (
              <ResultView
                value={run.output}
                label={t('output_of', { name: run.workflow_name, number: card.runs.length - at })}
              />
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Entry({ card, entry, mayWrite, act }: PartProps & { entry: CardActivity }) {
  const t = useBoardsTexts();
  const ui = useTranslations('ui');
  const remove = async () => {
    const sure = await confirm({
      title: t('delete_comment_title'),
      body: t('delete_comment_body'),
      action: ui('delete'),
    });
    if (!sure) return;
    await act({ do: 'delete_comment', card_id: card.id, activity_id: entry.id }).catch((error: Error) =>
      toast.failed(error.message),
    );
  };
  return (
    <li className="flex flex-col gap-1 border-b border-line py-2">
      <span className="flex items-center gap-2 text-sm text-soft">
        <span>
          {t(`activity_${entry.kind}`, { who: entry.actor_name ?? t('service'), what: entry.content })}
        </span>
        <Ago at={entry.created_at} className="text-faint" />
        {entry.kind === 'comment' && mayWrite ? (
          <IconButton
            size="small"
            className="ml-auto"
            label={t('delete_comment')}
            icon={<Trash2 aria-hidden />}
            onClick={() => void remove()}
          />
        ) : null}
      </span>
      {entry.kind === 'comment' ? (
        <Suspense fallback={<Skeleton className="h-8" />}>
          <MarkdownView text={entry.content} />
        </Suspense>
      ) : null}
    </li>
  );
}

/** Comments and what happened, newest first, below the line for a new comment. */
export function Activity({ card, mayWrite, act }: PartProps) {
  const t = useBoardsTexts();
  const [followsUp, setFollowsUp] = useState(false);
  const form = useForm({
    initial: { content: '' },
    submit: async ({ content }) => {
      await (followsUp
        ? act({ do: 'run', card_id: card.id, comment: content })
        : act({ do: 'comment', card_id: card.id, content }));
      form.change({ content: '' });
    },
  });
  const isEmpty = form.values.content.trim() === '';
  return (
    <section>
      <h3 className={HEADING}>{t('activity')}</h3>
      {mayWrite ? (
        <form {...form.props} className="flex flex-col gap-2">
          <FormProblem text={form.problem} />
          <Field label={t('comment')} hideLabel error={form.errors['content'] ?? form.errors['comment']}>
            {(control) => (
              <TextArea
                {...control}
                rows={2}
                placeholder={t('comment_placeholder')}
                value={form.values.content}
                onChange={(event) => form.change({ content: event.target.value })}
              />
            )}
          </Field>
          <span className="flex flex-wrap gap-2">
            <Button
              type="submit"
              size="small"
              busy={form.busy}
              disabled={isEmpty}
              onClick={() => setFollowsUp(false)}
            >
              {t('add_comment')}
            </Button>
            <Button
              type="submit"
              size="small"
              busy={form.busy}
              disabled={isEmpty || isActive(card.run_status)}
              onClick={() => setFollowsUp(true)}
            >
              <Play aria-hidden />
              {t('follow_up')}
            </Button>
          </span>
        </form>
      ) : null}
      <ul>
        {card.activities.map((entry) => (
          <Entry key={entry.id} card={card} entry={entry} mayWrite={mayWrite} act={act} />
        ))}
      </ul>
    </section>
  );
}
