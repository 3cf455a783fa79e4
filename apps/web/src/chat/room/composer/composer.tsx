/** @jsxImportSource preact */
import type { PortalInfo } from '@millrace/contracts';
import { getFieldKind } from '../../conversation/fields.ts';
import type { Inputs } from '../../conversation/message.ts';
import { fieldLabel, t } from '../../texts.ts';
import { Attachment } from '../message/attachment.tsx';
import { ComposerActions } from './composer-actions.tsx';
import { FieldRow } from './field-row.tsx';
import { hasKeyboard, TextArea } from './text-area.tsx';
import { type Draft, useDraft } from './use-draft.ts';
import { useFileTarget } from './use-file-target.ts';

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
  const draft = useDraft(info, inputs);
  const { box, typed, files } = draft;
  const { isOver, handlers } = useFileTarget(files);
  // On a phone the keyboard would cover the page before it is read.
  const takesFocus = onCancel !== undefined || (hasKeyboard() && !isPreview);
  const send = () => {
    if (onStop || files.isReading) return;
    const taken = draft.take();
    if (!taken) return;
    // The button that was pressed gives way to Stop.
    if (takesFocus) draft.focus();
    onSend(taken);
  };
  return (
    <form
      class={['composer', box ? 'is-box' : '', isOver ? 'is-over' : ''].filter(Boolean).join(' ')}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      {...handlers}
    >
      {box ? <Attachments draft={draft} boxId={draft.toElementId(box.key)} /> : null}
      {box ? (
        <TextArea
          id={draft.toElementId(box.key)}
          value={String(typed[box.key] ?? '')}
          onChange={(value) => draft.change(box.key, value)}
          onEnter={send}
          label={t('message')}
          placeholder={t('message_hint')}
          takesFocus={takesFocus}
        />
      ) : (
        <div class="fields">
          {draft.fields.map((field, at) => (
            <FieldRow
              key={field.key}
              id={draft.toElementId(field.key)}
              field={field}
              value={typed[field.key] ?? ''}
              problem={draft.problems[field.key]}
              onChange={(value) => draft.change(field.key, value)}
              takesFocus={takesFocus && at === 0}
              files={files}
            />
          ))}
        </div>
      )}
      <ComposerActions {...{ draft, onCancel, onStop, isStopping }} />
      <p role="alert" class="notice">
        {draft.notice}
      </p>
    </form>
  );
}

/** The files of a message in the text box. */
function Attachments({ draft, boxId }: { draft: Draft; boxId: string }) {
  const { fields, typed, files } = draft;
  const shown = fields.filter(
    (field) =>
      getFieldKind(field) === 'file' &&
      ((typed[field.key] ?? '') !== '' || files.getProgress(field.key) !== undefined),
  );
  if (shown.length === 0) return null;
  return (
    <div class="attachments">
      {shown.map((field) => (
        <Attachment
          key={field.key}
          name={files.getName(field.key) ?? fieldLabel(field)}
          value={String(typed[field.key] ?? '')}
          read={files.getProgress(field.key)}
          onRemove={() => {
            files.remove(field.key);
            if (hasKeyboard()) document.getElementById(boxId)?.focus();
          }}
        />
      ))}
    </div>
  );
}
