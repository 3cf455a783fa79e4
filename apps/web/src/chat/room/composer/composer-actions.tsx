/** @jsxImportSource preact */
import { getFieldKind } from '../../conversation/fields.ts';
import { Icon } from '../../icon.tsx';
import { t } from '../../texts.ts';
import { AttachButton } from './attach-button.tsx';
import type { Draft } from './use-draft.ts';

interface ComposerActionsProps {
  draft: Draft;
  onCancel: (() => void) | undefined;
  /** Present while an answer is under way. */
  onStop: (() => void) | undefined;
  isStopping: boolean;
}

/** The buttons below what is written: Send submits the form around them, and gives way to Stop. */
export function ComposerActions({ draft, onCancel, onStop, isStopping }: ComposerActionsProps) {
  const { fields, box, files } = draft;
  const takesAny = box
    ? files.uploads.length > 0
    : files.uploads.some(({ field }) => getFieldKind(field) !== 'file');
  return (
    <div class="composer-actions">
      {takesAny ? <AttachButton uploads={files.uploads} onFile={(file) => void files.take([file])} /> : null}
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
            draft.focus();
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
  );
}
