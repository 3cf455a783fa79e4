/** @jsxImportSource preact */
import { type Answer, isWorking, writtenText } from '../../conversation/message.ts';
import { Icon } from '../../icon.tsx';
import { Markdown } from '../../markdown/markdown.tsx';
import { t } from '../../texts.ts';
import { ReviewLinks } from '../review/review-links.tsx';
import { ReviewQuestion } from '../review/review-question.tsx';
import { CopyButton } from './copy-button.tsx';
import { ProblemNote } from './problem.tsx';
import { Progress } from './steps.tsx';

interface WaitingProps extends Pick<Answer, 'reviews'> {
  /** Present where the visitor decides in the chat. */
  onDecided?: (() => void) | undefined;
}

/** §3.4: a paused run shows where it is reviewed, or asks here. */
function Waiting({ reviews, onDecided }: WaitingProps) {
  if (onDecided && reviews.length > 0)
    return (
      <>
        {reviews.map((review) => (
          <ReviewQuestion key={review.url} review={review} onDecided={onDecided} />
        ))}
      </>
    );
  return <ReviewLinks reviews={reviews} />;
}

interface AnswerProps {
  answer: Answer;
  /** Present for the last answer only. */
  onRetry?: (() => void) | undefined;
  onDecided?: (() => void) | undefined;
}

export function AnswerView({ answer, onRetry, onDecided }: AnswerProps) {
  const { state, problem, reviews } = answer;
  const text = writtenText(answer);
  const works = isWorking(answer);
  return (
    // Read out when it is whole.
    <article class="answer" aria-label={t('answer')} aria-busy={works && text !== ''}>
      {text ? <Markdown text={text} /> : null}
      {works ? <Progress answer={answer} /> : null}
      {state === 'done' && text === '' ? <p class="note">{t('no_text')}</p> : null}
      {state === 'stopped' ? <p class="note">{t('stopped')}</p> : null}
      {state === 'waiting' ? <Waiting reviews={reviews} onDecided={onDecided} /> : null}
      {state === 'failed' && problem ? <ProblemNote problem={problem} onRetry={onRetry} /> : null}
      {works || state === 'failed' ? null : (
        <div class="actions">
          {text ? <CopyButton text={text} label={t('copy')} /> : null}
          {onRetry ? (
            <button
              type="button"
              class="icon-button"
              aria-label={t('retry')}
              title={t('retry')}
              onClick={onRetry}
            >
              <Icon name="retry" />
            </button>
          ) : null}
        </div>
      )}
    </article>
  );
}
