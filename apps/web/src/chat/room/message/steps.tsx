/** @jsxImportSource preact */
import type { Answer, Step } from '../../conversation/message.ts';
import { Icon } from '../../icon.tsx';
import { stepText, t } from '../../texts.ts';

const stepName = ({ label, is_message }: Step): string => (is_message ? label : stepText(label));

/** A run begins at a trigger, of which a visitor need not know unless the owner has words for it. */
const shownSteps = ({ steps: [first, ...others] }: Answer): readonly Step[] =>
  first?.is_message ? [first, ...others] : others;

/** Says what works on the answer right now. */
function workingText({ state, sent }: Answer, steps: readonly Step[]): string {
  if (state === 'reconnecting') return t('reconnecting');
  if (sent !== undefined && sent < 1) return t('sending', { share: Math.round(sent * 100) });
  const current = steps.findLast(({ is_done }) => !is_done);
  if (!current) return t('working');
  return current.is_message ? current.label : t('working_on', { step: stepText(current.label) });
}

/** Progress in one line; all steps on demand. */
export function Progress({ answer }: { answer: Answer }) {
  const steps = shownSteps(answer);
  const text = workingText(answer, steps);
  const { sent } = answer;
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
            {steps.map((step) => (
              <li key={step.node_id} class={step.is_done ? 'is-done' : 'is-open'}>
                <Icon name={step.is_done ? 'check' : 'clock'} />
                <span dir="auto">{stepName(step)}</span>
                {step.is_done ? <span class="unseen">{t('step_done')}</span> : null}
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
      {sent !== undefined && sent < 1 ? <progress value={sent} max={1} aria-label={text} /> : null}
    </div>
  );
}
