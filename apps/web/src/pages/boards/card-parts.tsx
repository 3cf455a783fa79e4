import type { BoardCardDetail, CardActivity } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { ChevronRight, Download, Paperclip, Play, SquareArrowOutUpRight, Trash2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { type Act, downloadAttachment } from '../../data/boards.ts';
import { lazy } from '../../lib/code/lazy.ts';
import { Button, buttonStyle } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { byteText } from '../../ui/display/byte-text.ts';
import { Skeleton } from '../../ui/display/skeleton.tsx';
import { StatusChip } from '../../ui/display/status-chip.tsx';
import { Ago } from '../../ui/display/time.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { pickFiles } from '../../ui/forms/file-drop.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
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
  const locale = useLocale();
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
        {card.attachments.map(({ id, filename, size_bytes }) => (
          <li key={id} className="flex h-8 min-w-0 items-center gap-2">
            <Paperclip className="size-4 shrink-0 text-faint" aria-hidden />
            <span className="min-w-0 truncate" title={filename}>
              {filename}
            </span>
            <span className="mr-auto shrink-0 text-sm text-faint">{byteText(size_bytes, locale)}</span>
            <IconButton
              size="small"
              label={t('download', { name: filename })}
              icon={<Download aria-hidden />}
              onClick={() =>
                void downloadAttachment(
                  { id: board_id, card_id: card.id, attachment_id: id },
                  filename,
                ).catch(showFailure)
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
        <Button size="small" className="mt-1" busy={isSending} onClick={() => void attach()}>
          <Paperclip aria-hidden />
          {t('attach')}
        </Button>
      ) : null}
    </section>
  );
}

const RUN_WORDS = { waiting_review: 'pending', pending: 'queued' } as const;

/**
 * Workflows that ran on the card, newest chain first, with what they put out; that of earlier chains is folded. They run
 * as the owner, whose runs they are.
 */
export function Runs({ card, isOwner }: Pick<PartProps, 'card'> & { isOwner: boolean }) {
  const t = useBoardsTexts();
  if (card.runs.length === 0) return null;
  return (
    <section>
      <h3 className={HEADING}>{t('runs')}</h3>
      <ol className="flex flex-col gap-2">
        {card.runs.map((run, at) => (
          <li key={run.id} className="relative rounded-m border border-line">
            <details className="group" open={run.round_id === card.runs[0]?.round_id}>
              <summary className="flex flex-wrap items-center gap-2 rounded-m p-2.5 pr-11 hover:bg-hover">
                <ChevronRight className="size-3.5 shrink-0 text-faint group-open:rotate-90" aria-hidden />
                <StatusChip
                  status={
                    run.status === 'waiting_review' || run.status === 'pending'
                      ? RUN_WORDS[run.status]
                      : run.status
                  }
                />
                <span className="min-w-0 truncate font-medium">{run.workflow_name}</span>
                <span className="text-sm text-faint">
                  {t('place_in_chain', {
                    at: run.chain_position,
                    of: run.chain_length,
                    column: run.column_name,
                  })}
                </span>
                {run.started_at ? <Ago at={run.started_at} className="text-sm text-faint" /> : null}
              </summary>
              <div className="flex flex-col gap-2 px-2.5 pb-2.5 empty:hidden">
                {run.error ? <p className="text-sm break-words text-danger">{run.error}</p> : null}
                {run.output_is_cut ? <p className="text-sm text-soft">{t('output_cut')}</p> : null}
                {run.output === null ? null : (
                  <ResultView
                    value={run.output}
                    label={t('output_of', { name: run.workflow_name, number: card.runs.length - at })}
                  />
                )}
              </div>
            </details>
            {isOwner && run.execution_history_id !== null ? (
              <Link
                to="/runs/$id"
                params={{ id: run.execution_history_id }}
                aria-label={t('open_run', { name: run.workflow_name, number: card.runs.length - at })}
                title={t('open_run', { name: run.workflow_name, number: card.runs.length - at })}
                className={clsx(
                  buttonStyle({ tone: 'quiet', size: 'small', square: true }),
                  'absolute top-1.5 right-1.5',
                )}
              >
                <SquareArrowOutUpRight aria-hidden />
              </Link>
            ) : null}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Entry({ card, entry, mayWrite, act }: PartProps & { entry: CardActivity }) {
  const t = useBoardsTexts();
  const ui = useTranslations('ui');
  const line = (
    <p className="min-w-0 text-sm break-words text-soft">
      {t(`activity_${entry.kind}`, { who: entry.actor_name ?? t('service'), what: entry.content })}{' '}
      <Ago at={entry.created_at} className="ml-1 whitespace-nowrap text-faint" />
    </p>
  );
  if (entry.kind !== 'comment') return <li className="py-0.5">{line}</li>;
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
    <li className="flex flex-col gap-1 rounded-m border border-line px-3 py-2">
      <span className="flex items-center justify-between gap-2">
        {line}
        {mayWrite ? (
          <IconButton
            size="small"
            className="-mr-1.5"
            label={t('delete_comment')}
            icon={<Trash2 aria-hidden />}
            onClick={() => void remove()}
          />
        ) : null}
      </span>
      <Suspense fallback={<Skeleton className="h-8" />}>
        <MarkdownView text={entry.content} />
      </Suspense>
    </li>
  );
}

/** Comments and what happened, newest first, below the line for a new comment. */
export function Activity({ card, mayWrite, mayRun, act }: PartProps & { mayRun: boolean }) {
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
              busy={form.busy && !followsUp}
              disabled={isEmpty}
              onClick={() => setFollowsUp(false)}
            >
              {t('add_comment')}
            </Button>
            {mayRun ? (
              <Button
                type="submit"
                size="small"
                busy={form.busy && followsUp}
                disabled={isEmpty || isActive(card.run_status)}
                onClick={() => setFollowsUp(true)}
              >
                <Play aria-hidden />
                {t('follow_up')}
              </Button>
            ) : null}
          </span>
        </form>
      ) : null}
      <ul className="mt-3 flex flex-col gap-1.5">
        {card.activities.map((entry) => (
          <Entry key={entry.id} card={card} entry={entry} mayWrite={mayWrite} act={act} />
        ))}
      </ul>
    </section>
  );
}
