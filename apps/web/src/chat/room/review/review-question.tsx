/** @jsxImportSource preact */
import type { Review, ReviewDecision } from '@millrace/contracts';
import { useId, useRef, useState } from 'preact/hooks';
import { extractToken, type ReviewLink } from '../../conversation/reviews.ts';
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
  const token = extractToken(review);
  const { value: open, error, reload } = useLoaded(() => openReview(token));
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
  return <OpenReview review={open} token={token} onDecided={onDecided} />;
}

/** Sends a decision, one at a time. */
function useDecision(token: string, onDecided: () => void) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
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
  return { busy, problem, send: (decision: ReviewDecision) => void send(decision) };
}

interface OpenReviewProps {
  review: Review;
  token: string;
  onDecided: () => void;
}

function OpenReview({ review, token, onDecided }: OpenReviewProps) {
  const id = useId();
  const [mode, setMode] = useState<'read' | 'edit' | 'refuse'>('read');
  const [text, setText] = useState(review.original_draft_text);
  const [reason, setReason] = useState('');
  const { busy, problem, send } = useDecision(token, onDecided);
  const sectionRef = useRef<HTMLElement>(null);
  const cancel = () => {
    setMode('read');
    // The button goes away with what it did.
    sectionRef.current?.focus();
  };
  return (
    <section ref={sectionRef} class="waiting" aria-labelledby={`${id}-title`} tabIndex={-1}>
      <h2 id={`${id}-title`} dir="auto">
        {review.summary.trim() || t('review_title')}
      </h2>
      {mode === 'edit' ? (
        <TextArea id={id} value={text} onChange={setText} label={t('review_text')} takesFocus />
      ) : (
        <Markdown text={review.original_draft_text} />
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
            <SendButton
              label={t('review_accept')}
              disabled={busy}
              onSend={() => send({ action: 'accept' })}
            />
            <button type="button" class="button" disabled={busy} onClick={() => setMode('edit')}>
              {t('edit')}
            </button>
            <button type="button" class="button" disabled={busy} onClick={() => setMode('refuse')}>
              {t('review_refuse')}
            </button>
          </>
        ) : null}
        {mode === 'edit' ? (
          <SendButton
            label={t('review_send_edit')}
            disabled={busy || text.trim() === ''}
            onSend={() => send({ action: 'edit', edited_text: text })}
          />
        ) : null}
        {mode === 'refuse' ? (
          <SendButton
            label={t('review_refuse')}
            disabled={busy}
            onSend={() => send({ action: 'refuse', refusal_reason: reason })}
          />
        ) : null}
        {mode === 'read' ? null : (
          <button type="button" class="button" disabled={busy} onClick={cancel}>
            {t('cancel')}
          </button>
        )}
      </div>
    </section>
  );
}

interface SendButtonProps {
  label: string;
  disabled: boolean;
  onSend: () => void;
}

/** Keeps the focus while it cannot be pressed. */
function SendButton({ label, disabled, onSend }: SendButtonProps) {
  return (
    <button
      type="button"
      class="button is-primary"
      aria-disabled={disabled}
      onClick={() => disabled || onSend()}
    >
      {label}
    </button>
  );
}
