/** @jsxImportSource preact */
import type { PortalInfo } from '@millrace/contracts';
import { useId, useState } from 'preact/hooks';
import { uploadRule } from '../conversation/attach.ts';
import { type FieldProblem, isTextBox, readTyped, type Typed, typedOf } from '../conversation/fields.ts';
import type { Inputs } from '../conversation/message.ts';
import { Icon } from '../icon.tsx';
import { t } from '../texts.ts';
import { AttachButton, attach } from './attach-button.tsx';
import { FieldRow } from './field-row.tsx';
import { hasKeyboard, TextArea } from './text-area.tsx';

interface ComposerProps {
  info: PortalInfo;
  /** Values to begin with; else the default values of the fields. */
  inputs?: Inputs | undefined;
  onSend: (inputs: Inputs) => void;
  onCancel?: (() => void) | undefined;
  /** Present while an answer is under way. */
  onStop?: (() => void) | undefined;
  isStopping?: boolean;
}

/** One text box for one field of text, a form for anything else (§4.4). */
export function Composer({ info, inputs, onSend, onCancel, onStop, isStopping = false }: ComposerProps) {
  const fields = info.input_fields;
  const id = useId();
  const [typed, setTyped] = useState<Typed>(() => typedOf(fields, inputs));
  const [problems, setProblems] = useState<Readonly<Record<string, FieldProblem>>>({});
  const [notice, setNotice] = useState('');
  const isBox = isTextBox(fields);
  // On a phone the keyboard would cover the page before it is read.
  const takesFocus = onCancel !== undefined || hasKeyboard();
  const change = (key: string, value: string | boolean) => {
    setTyped((before) => ({ ...before, [key]: value }));
    setProblems({});
  };
  const send = () => {
    if (onStop) return;
    const read = readTyped(fields, typed);
    const bad = Object.keys(read.problems)[0];
    if (bad === undefined) {
      setNotice('');
      if (isBox) setTyped({ [fields[0]?.key ?? '']: '' });
      // The button that was pressed gives way to Stop.
      if (takesFocus) document.getElementById(`${id}-0`)?.focus();
      onSend(read.inputs);
      return;
    }
    // An empty box needs no words.
    if (!isBox) setProblems(read.problems);
    document.getElementById(`${id}-${fields.findIndex(({ key }) => key === bad)}`)?.focus();
  };
  const uploads = fields.map(({ key }) => ({ key, rule: uploadRule(info, key) })).find(({ rule }) => rule);
  const taking = uploads?.rule && {
    max_bytes: uploads.rule.max_bytes,
    onProblem: setNotice,
    onText(text: string) {
      setNotice('');
      setTyped((before) => ({
        ...before,
        [uploads.key]: [before[uploads.key], text].filter(Boolean).join('\n\n'),
      }));
    },
  };
  return (
    <form
      class={isBox ? 'composer is-box' : 'composer'}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => taking && event.preventDefault()}
      onDrop={(event) => {
        const [file] = event.dataTransfer?.files ?? [];
        if (!taking || !file) return;
        event.preventDefault();
        void attach(file, taking);
      }}
    >
      {isBox ? (
        <TextArea
          id={`${id}-0`}
          value={String(typed[fields[0]?.key ?? ''] ?? '')}
          onChange={(value) => change(fields[0]?.key ?? '', value)}
          onEnter={send}
          label={t('message')}
          placeholder={t('message_hint')}
          takesFocus={takesFocus}
        />
      ) : (
        <div class="fields">
          {fields.map((field, at) => (
            <FieldRow
              key={field.key}
              id={`${id}-${at}`}
              field={field}
              value={typed[field.key] ?? ''}
              problem={problems[field.key]}
              onChange={(value) => change(field.key, value)}
              takesFocus={takesFocus && at === 0}
            />
          ))}
        </div>
      )}
      <div class="composer-actions">
        {taking ? <AttachButton {...taking} /> : null}
        {onCancel ? (
          <button type="button" class="button" onClick={onCancel}>
            {t('cancel')}
          </button>
        ) : null}
        {onStop ? (
          <button
            key="stop"
            type="button"
            class="send"
            aria-label={isStopping ? t('stopping') : t('stop')}
            title={t('stop')}
            disabled={isStopping}
            onClick={() => {
              onStop();
              document.getElementById(`${id}-0`)?.focus();
            }}
          >
            <Icon name="stop" />
          </button>
        ) : (
          <button
            key="send"
            type="submit"
            class="send"
            aria-label={onCancel ? t('resend') : fields.length === 0 ? t('start') : t('send')}
            title={t('send')}
          >
            <Icon name="send" />
          </button>
        )}
      </div>
      <p role="alert" class="notice">
        {notice}
      </p>
    </form>
  );
}
