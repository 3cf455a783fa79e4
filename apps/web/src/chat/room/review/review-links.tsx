/** @jsxImportSource preact */
import type { Answer } from '../../conversation/message.ts';
import { Icon } from '../../icon.tsx';
import { t } from '../../texts.ts';

/** §3.4: where a paused run waits for a person. */
export function ReviewLinks({ reviews }: Pick<Answer, 'reviews'>) {
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
