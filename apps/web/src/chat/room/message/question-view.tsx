/** @jsxImportSource preact */
import type { PortalInfo } from '@millrace/contracts';
import { parseFile } from '@millrace/contracts/portal-input';
import { questionText, valueText } from '@millrace/contracts/portal-text';
import { useState } from 'preact/hooks';
import type { Inputs, Question } from '../../conversation/message.ts';
import { Icon } from '../../icon.tsx';
import { fieldLabel, t } from '../../texts.ts';
import { Composer } from '../composer/composer.tsx';
import { FileView } from './attachment.tsx';
import { CopyButton } from './copy-button.tsx';

interface ValuesProps {
  inputs: Inputs;
  fields: PortalInfo['input_fields'];
}

function Values({ inputs, fields }: ValuesProps) {
  const entries = Object.entries(inputs);
  const texts = entries.filter(([, value]) => parseFile(value) === undefined);
  const getFieldLabel = (key: string) => fieldLabel(fields.find((field) => field.key === key) ?? { key });
  const [only, ...others] = texts;
  if (entries.length === 0) return <p>{t('start')}</p>;
  return (
    <>
      {entries.flatMap(([key, value]) =>
        typeof value === 'string' && parseFile(value)
          ? [<FileView key={key} value={value} name={getFieldLabel(key)} />]
          : [],
      )}
      {only && others.length === 0 ? <p dir="auto">{valueText(only[1])}</p> : null}
      {others.length > 0 ? (
        <dl>
          {texts.map(([key, value]) => (
            <div key={key}>
              <dt dir="auto">{getFieldLabel(key)}</dt>
              <dd dir="auto">{valueText(value)}</dd>
            </div>
          ))}
        </dl>
      ) : null}
    </>
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
        <Values inputs={question.inputs} fields={info.input_fields} />
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
