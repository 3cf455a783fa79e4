/** @jsxImportSource preact */
import type { PortalInfo } from '@millrace/contracts';
import { questionText, valueText } from '@millrace/contracts/portal-text';
import { useState } from 'preact/hooks';
import type { Inputs, Question } from '../conversation/message.ts';
import { Icon } from '../icon.tsx';
import { t } from '../texts.ts';
import { Composer } from './composer.tsx';
import { CopyButton } from './copy-button.tsx';

function Values({ inputs }: { inputs: Inputs }) {
  const entries = Object.entries(inputs);
  const [only, ...others] = entries;
  if (!only) return <p>{t('start')}</p>;
  if (others.length === 0) return <p dir="auto">{valueText(only[1])}</p>;
  return (
    <dl>
      {entries.map(([key, value]) => (
        <div key={key}>
          <dt dir="auto">{key}</dt>
          <dd dir="auto">{valueText(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

interface QuestionProps {
  question: Question;
  info: PortalInfo;
  /** Absent while an answer is under way. */
  onEdit?: ((inputs: Inputs) => void) | undefined;
}

export function QuestionView({ question, info, onEdit }: QuestionProps) {
  const [edits, setEdits] = useState(false);
  if (edits && onEdit) {
    const send = (inputs: Inputs) => {
      setEdits(false);
      onEdit(inputs);
    };
    return (
      <article class="question is-edited" aria-label={t('edit_message')}>
        <Composer info={info} inputs={question.inputs} onSend={send} onCancel={() => setEdits(false)} />
      </article>
    );
  }
  return (
    <article class="question" aria-label={t('you')}>
      <div class="bubble">
        <Values inputs={question.inputs} />
      </div>
      <div class="actions">
        <CopyButton text={questionText(question.inputs)} label={t('copy')} />
        {onEdit ? (
          <button
            type="button"
            class="icon-button"
            aria-label={t('edit')}
            title={t('edit')}
            onClick={() => setEdits(true)}
          >
            <Icon name="edit" />
          </button>
        ) : null}
      </div>
    </article>
  );
}
