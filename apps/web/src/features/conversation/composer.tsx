import { ASSISTANT_LIMITS, type AssistantAttachment } from '@millrace/contracts';
import { Paperclip, SendHorizontal, Square, X } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useState } from 'react';
import { useLocale } from 'use-intl';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { byteText } from '../../ui/display/byte-text.ts';
import { pickFiles } from '../../ui/forms/file-drop.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { ACCEPTED, readFile } from './attach.ts';
import { useConversationTexts } from './texts/use-conversation-texts.ts';
import type { Draft } from './use-conversation.ts';

interface ComposerProps {
  /** Where the message is written. */
  field?: RefObject<HTMLTextAreaElement | null>;
  /** Files can be attached. */
  attaches?: boolean;
  /** Shown where nothing is written yet. */
  hint: string;
  /** A model is chosen. */
  ready: boolean;
  running: boolean;
  onAsk: (draft: Draft) => void;
  onStop: () => void;
}

/** Where a message is written: Enter sends it, Shift and Enter begin a line. */
export function Composer({ field, attaches = false, hint, ready, running, onAsk, onStop }: ComposerProps) {
  const t = useConversationTexts();
  const [text, setText] = useState('');
  const { attachment, choose, remove } = useAttachment();
  const isEmpty = text.trim() === '' && !attachment;
  const send = () => {
    if (isEmpty || !ready || running) return;
    onAsk({ text, attachment });
    setText('');
    remove();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="mx-auto flex w-full max-w-3xl flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {attachment ? (
        <p className="flex items-center gap-1 text-sm text-soft">
          <span className="truncate">{t('attached', { name: attachment.name })}</span>
          <IconButton
            size="small"
            label={t('remove_attachment', { name: attachment.name })}
            icon={<X aria-hidden />}
            onClick={remove}
          />
        </p>
      ) : null}
      <div className="flex items-end gap-2">
        {attaches ? (
          <IconButton label={t('attach')} icon={<Paperclip aria-hidden />} onClick={() => void choose()} />
        ) : null}
        <TextArea
          {...(field ? { ref: field } : {})}
          aria-label={t('message')}
          placeholder={ready ? hint : t('message_without_model')}
          rows={2}
          maxLength={ASSISTANT_LIMITS.message_characters}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {running ? (
          <Button onClick={onStop}>
            <Square aria-hidden />
            {t('stop')}
          </Button>
        ) : (
          <Button tone="primary" type="submit" disabled={isEmpty || !ready}>
            <SendHorizontal aria-hidden />
            <span className="max-sm:sr-only">{t('send')}</span>
          </Button>
        )}
      </div>
    </form>
  );
}

function useAttachment() {
  const t = useConversationTexts();
  const locale = useLocale();
  const [attachment, setAttachment] = useState<AssistantAttachment>();
  const choose = async () => {
    const [file] = await pickFiles({ accept: ACCEPTED, multiple: false });
    if (!file) return;
    await readFile(file).then((read) => {
      if (read.problem === undefined) setAttachment(read.attachment);
      else if (read.problem === 'type') toast.failed(t('attachment_type'));
      else toast.failed(t('attachment_size', { size: byteText(read.most_bytes, locale) }));
    }, showFailure);
  };
  return { attachment, choose, remove: () => setAttachment(undefined) };
}
