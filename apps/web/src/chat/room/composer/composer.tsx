/** @jsxImportSource preact */
import type { PortalInfo } from '@millrace/contracts';
import { useId, useState } from 'preact/hooks';
import {
  boxFieldOf,
  type FieldProblem,
  kindOf,
  readTyped,
  type Typed,
  typedOf,
} from '../../conversation/fields.ts';
import type { Inputs } from '../../conversation/message.ts';
import { Icon } from '../../icon.tsx';
import { fieldLabel, t } from '../../texts.ts';
import { Attachment } from '../message/attachment.tsx';
import { AttachButton } from './attach-button.tsx';
import { FieldRow } from './field-row.tsx';
import { hasKeyboard, TextArea } from './text-area.tsx';
import { type Files, useFiles } from './use-files.ts';

interface ComposerProps {
  info: PortalInfo;
  /** Values to begin with; else the default values of the fields. */
  inputs?: Inputs | undefined;
  onSend: (inputs: Inputs) => void;
  onCancel?: (() => void) | undefined;
  /** Present while an answer is under way. */
  onStop?: (() => void) | undefined;
  isStopping?: boolean;
  /** The page around the preview keeps the focus. */
  isPreview?: boolean;
}

/** One text box for one field of text, a form for anything else (§4.4). */
export function Composer({
  info,
  inputs,
  onSend,
  onCancel,
  onStop,
  isStopping = false,
  isPreview = false,
}: ComposerProps) {
  const fields = info.input_fields;
  const id = useId();
  const [typed, setTyped] = useState<Typed>(() => typedOf(fields, inputs));
  const [problems, setProblems] = useState<Readonly<Record<string, FieldProblem>>>({});
  const [notice, setNotice] = useState('');
  const [isOver, setOver] = useState(false);
  const files = useFiles({ info, typed, change: setTyped, onProblem: setNotice });
  const boxField = boxFieldOf(fields);
  const isBox = boxField !== undefined;
  const boxKey = boxField?.key ?? '';
  const idOf = (key: string) => `${id}-${fields.findIndex((field) => field.key === key)}`;
  // On a phone the keyboard would cover the page before it is read.
  const takesFocus = onCancel !== undefined || (hasKeyboard() && !isPreview);
  const change = (key: string, value: string | boolean) => {
    setTyped((before) => ({ ...before, [key]: value }));
    setProblems({});
  };
  const send = () => {
    if (onStop || files.isReading) return;
    const read = readTyped(fields, typed);
    const bad = Object.keys(read.problems)[0];
    if (bad === undefined) {
      setNotice('');
      if (isBox) {
        files.forget();
        setTyped(Object.fromEntries(fields.map(({ key }) => [key, ''])));
      }
      // The button that was pressed gives way to Stop.
      if (takesFocus) document.getElementById(isBox ? idOf(boxKey) : `${id}-0`)?.focus();
      onSend(read.inputs);
      return;
    }
    // An empty box needs no words.
    if (!isBox) setProblems(read.problems);
    else if (bad !== boxKey) setNotice(t('missing_file', { name: labelOf(info, bad) }));
    document.getElementById(idOf(bad))?.focus();
  };
  const takesFiles = files.uploads.length > 0;
  return (
    <form
      class={['composer', isBox ? 'is-box' : '', isOver ? 'is-over' : ''].filter(Boolean).join(' ')}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => {
        if (!takesFiles || !event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        const dropped = [...(event.dataTransfer?.files ?? [])];
        if (!takesFiles || dropped.length === 0) return;
        event.preventDefault();
        void files.take(dropped);
      }}
      onPaste={(event) => {
        const pasted = [...(event.clipboardData?.files ?? [])];
        if (!takesFiles || pasted.length === 0 || isFormattedText(event.clipboardData)) return;
        event.preventDefault();
        void files.take(pasted);
      }}
    >
      {isBox ? <Attachments {...{ info, typed, files }} boxId={idOf(boxKey)} /> : null}
      {isBox ? (
        <TextArea
          id={idOf(boxKey)}
          value={String(typed[boxKey] ?? '')}
          onChange={(value) => change(boxKey, value)}
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
              files={files}
            />
          ))}
        </div>
      )}
      <div class="composer-actions">
        {takesFiles && (isBox || files.uploads.some(({ field }) => kindOf(field) !== 'file')) ? (
          <AttachButton uploads={files.uploads} onFile={(file) => void files.take([file])} />
        ) : null}
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
              document.getElementById(isBox ? idOf(boxKey) : `${id}-0`)?.focus();
            }}
          >
            <Icon name="stop" />
          </button>
        ) : (
          <button
            key="send"
            type="submit"
            class="send"
            disabled={files.isReading}
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

/** Spreadsheets and word processors add a picture of the text that was copied. */
const isFormattedText = (copied: DataTransfer | null): boolean =>
  ['text/plain', 'text/html'].every((type) => copied?.types.includes(type));

function labelOf({ input_fields }: PortalInfo, key: string): string {
  const field = input_fields.find((one) => one.key === key);
  return field ? fieldLabel(field) : key;
}

interface AttachmentsProps {
  info: PortalInfo;
  typed: Typed;
  files: Files;
  boxId: string;
}

/** The files of a message in the text box. */
function Attachments({ info, typed, files, boxId }: AttachmentsProps) {
  const shown = info.input_fields.filter(
    (field) =>
      kindOf(field) === 'file' && ((typed[field.key] ?? '') !== '' || files.readOf(field.key) !== undefined),
  );
  if (shown.length === 0) return null;
  return (
    <div class="attachments">
      {shown.map((field) => (
        <Attachment
          key={field.key}
          name={files.nameOf(field.key) ?? fieldLabel(field)}
          value={String(typed[field.key] ?? '')}
          read={files.readOf(field.key)}
          onRemove={() => {
            files.remove(field.key);
            if (hasKeyboard()) document.getElementById(boxId)?.focus();
          }}
        />
      ))}
    </div>
  );
}
