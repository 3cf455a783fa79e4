/** @jsxImportSource preact */
import type { Answer } from '../conversation/message.ts';
import { Icon } from '../icon.tsx';
import { stepText, t } from '../texts.ts';

/** What works on the answer right now. A run begins at a trigger, of which a visitor need not know. */
export function workingText({ state, steps }: Answer): string {
  if (state === 'reconnecting') return t('reconnecting');
  const current = steps.findLast(({ is_done }) => !is_done);
  return current && steps.length > 1 ? t('working_on', { step: stepText(current.label) }) : t('working');
}

/** Progress in one line; all steps on demand. */
export function Progress({ answer }: { answer: Answer }) {
  const steps = answer.steps.slice(1);
  const text = workingText(answer);
  return (
    <div class="progress" aria-live="off">
      {steps.length > 1 ? (
        <details>
          <summary>
            <span class="pulse" aria-hidden="true" />
            <span dir="auto">{text}</span>
            <Icon name="right" />
          </summary>
          <ol>
            {steps.map(({ node_id, label, is_done }) => (
              <li key={node_id} class={is_done ? 'is-done' : 'is-open'}>
                <Icon name={is_done ? 'check' : 'clock'} />
                <span dir="auto">{stepText(label)}</span>
                {is_done ? <span class="unseen">{t('step_done')}</span> : null}
              </li>
            ))}
          </ol>
        </details>
      ) : (
        <p>
          <span class="pulse" aria-hidden="true" />
          <span dir="auto">{text}</span>
        </p>
      )}
    </div>
  );
}
