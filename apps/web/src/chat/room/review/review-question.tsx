/** @jsxImportSource preact */
import type { ReviewDecision } from '@millrace/contracts';
import { useId, useRef, useState } from 'preact/hooks';
import { type ReviewLink, tokenOf } from '../../conversation/reviews.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { problemText } from '../../page/problem-text.ts';
import { useLoaded } from '../../page/use-loaded.ts';
import { ApiError, openReview, sendDecision } from '../../portal/requests.ts';
import { t } from '../../texts.ts';
import { TextArea } from '../composer/text-area.tsx';
import { ReviewLinks } from './review-links.tsx';

interface QuestionProps {
  review: ReviewLink;
  onDecided: () => void;
}

/** Another reviewer decided first, or the deadline has passed: the run continues, and the page shows with which decision. */
const isClosed = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 409 || error.status === 410);

/** §3.4: the question of a paused run, to be decided in the chat. */
export function ReviewQuestion({ review, onDecided }: QuestionProps) {
  const token = tokenOf(review);
  const id = useId();
  const { value: open, error, reload } = useLoaded(() => openReview(token));
  const [mode, setMode] = useState<'read' | 'edit' | 'refuse'>('read');
  const [text, setText] = useState<string>();
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const sectionRef = useRef<HTMLElement>(null);
  if (isClosed(error)) return <ReviewLinks reviews={[]} />;
  if (error !== undefined)
    return (
      <div class="waiting">
        <p role="alert">{problemText(error)}</p>
        <button type="button" class="button" onClick={reload}>
          {t('retry')}
        </button>
      </div>
    );
  if (!open) return <div class="bone is-row" role="status" aria-label={t('loading')} />;
  const send = async (decision: ReviewDecision) => {
    if (busy) return;
    setBusy(true);
    setProblem('');
    try {
      await sendDecision(token, decision);
      onDecided();
    } catch (failure) {
      if (isClosed(failure)) return onDecided();
      setProblem(problemText(failure));
      setBusy(false);
    }
  };
  const draft = text ?? open.original_draft_text;
  const cancel = () => {
    setMode('read');
    // The button goes away with what it did.
    sectionRef.current?.focus();
  };
  const back = (
    <button type="button" class="button" disabled={busy} onClick={cancel}>
      {t('cancel')}
    </button>
  );
  return (
    <section ref={sectionRef} class="waiting" aria-labelledby={`${id}-title`} tabIndex={-1}>
      <h2 id={`${id}-title`} dir="auto">
        {open.summary.trim() || t('review_title')}
      </h2>
      {mode === 'edit' ? (
        <TextArea id={id} value={draft} onChange={setText} label={t('review_text')} takesFocus />
      ) : (
        <Markdown text={open.original_draft_text} />
      )}
      {mode === 'refuse' ? (
        <TextArea
          id={id}
          value={reason}
          onChange={setReason}
          label={t('review_reason')}
          placeholder={t('review_reason')}
          takesFocus
        />
      ) : null}
      <p role="alert" class="notice">
        {problem}
      </p>
      <div class="review-actions">
        {mode === 'read' ? (
          <>
            <button
              type="button"
              class="button is-primary"
              aria-disabled={busy}
              onClick={() => void send({ action: 'accept' })}
            >
              {t('review_accept')}
            </button>
            <button type="button" class="button" disabled={busy} onClick={() => setMode('edit')}>
              {t('edit')}
            </button>
            <button type="button" class="button" disabled={busy} onClick={() => setMode('refuse')}>
              {t('review_refuse')}
            </button>
          </>
        ) : null}
        {mode === 'edit' ? (
          <>
            <button
              type="button"
              class="button is-primary"
              aria-disabled={busy || draft.trim() === ''}
              onClick={() => draft.trim() === '' || void send({ action: 'edit', edited_text: draft })}
            >
              {t('review_send_edit')}
            </button>
            {back}
          </>
        ) : null}
        {mode === 'refuse' ? (
          <>
            <button
              type="button"
              class="button is-primary"
              aria-disabled={busy}
              onClick={() => void send({ action: 'refuse', refusal_reason: reason })}
            >
              {t('review_refuse')}
            </button>
            {back}
          </>
        ) : null}
      </div>
    </section>
  );
}
