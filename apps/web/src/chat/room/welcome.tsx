/** @jsxImportSource preact */
import type { PortalInfo } from '@millrace/contracts';
import { findBoxField } from '../conversation/fields.ts';
import type { Inputs } from '../conversation/message.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { t } from '../texts.ts';

interface WelcomeProps {
  info: PortalInfo;
  onSend: (inputs: Inputs) => void;
}

/** Says what this chat is for, and what to ask, until there is a message. */
export function Welcome({ info, onSend }: WelcomeProps) {
  const { workflow_name, workflow_description, input_fields, appearance } = info;
  const { welcome_text, suggestions, logo } = appearance;
  const box = findBoxField(input_fields);
  // A click sends the text alone, which is no message where a file is needed, too.
  const isEnough = input_fields.every((field) => field === box || field.required !== true);
  return (
    <div class="welcome">
      {logo === null ? (
        <span class="badge" aria-hidden="true">
          {Array.from(workflow_name.trim())[0]?.toLocaleUpperCase() ?? '·'}
        </span>
      ) : (
        <img class="badge is-logo" src={logo} alt="" />
      )}
      <h2 dir="auto">{workflow_name}</h2>
      {welcome_text === '' ? (
        workflow_description ? (
          <p dir="auto">{workflow_description}</p>
        ) : null
      ) : (
        <Markdown text={welcome_text} />
      )}
      {box && isEnough && suggestions.length > 0 ? (
        <ul class="suggestions" aria-label={t('suggestions')}>
          {suggestions.map((text) => (
            <li key={text}>
              <button type="button" class="button" dir="auto" onClick={() => onSend({ [box.key]: text })}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
