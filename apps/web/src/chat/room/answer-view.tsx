/** @jsxImportSource preact */
import { type Answer, isWorking } from '../conversation/message.ts';
import { Icon } from '../icon.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { t } from '../texts.ts';
import { CopyButton } from './copy-button.tsx';
import { ProblemNote } from './problem.tsx';
import { Progress } from './steps.tsx';

/** §3.4: a paused run shows where it is reviewed. */
function Waiting({ reviews }: Pick<Answer, 'reviews'>) {
  return (
    <div class="waiting">
      <p>
        <Icon name="clock" />
        {t('waiting')}
      </p>
      {reviews.map(({ url, summary }) => (
        <div key={url}>
          {summary ? <p dir="auto">{summary}</p> : null}
          <a class="button" href={url} target="_blank" rel="noopener noreferrer">
            <Icon name="open" />
            {t('open_review')}
            <span class="unseen">({t('opens_new_tab')})</span>
          </a>
        </div>
      ))}
    </div>
  );
}

interface AnswerProps {
  answer: Answer;
  /** Present for the last answer only. */
  onRetry?: (() => void) | undefined;
}

export function AnswerView({ answer, onRetry }: AnswerProps) {
  const { state, text, problem, reviews } = answer;
  const works = isWorking(answer);
  return (
    <article class="answer" aria-label={t('answer')}>
      {text ? <Markdown text={text} /> : null}
      {works ? <Progress answer={answer} /> : null}
      {state === 'done' && text === '' ? <p class="note">{t('no_text')}</p> : null}
      {state === 'stopped' ? <p class="note">{t('stopped')}</p> : null}
      {state === 'waiting' ? <Waiting reviews={reviews} /> : null}
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
