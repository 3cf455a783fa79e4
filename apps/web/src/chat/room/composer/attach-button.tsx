/** @jsxImportSource preact */
import { useRef } from 'preact/hooks';
import { isTextOnly, toAcceptAttribute, type UploadField } from '../../conversation/attach.ts';
import { Icon } from '../../icon.tsx';
import { t } from '../../texts.ts';

interface AttachProps {
  uploads: readonly UploadField[];
  onFile: (file: File) => void;
  /** Names the button where it is not alone. */
  label?: string;
}

/** Opens the dialog of the browser for files that the fields take. */
export function AttachButton({ uploads, onFile, label }: AttachProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const accepted = uploads.map(toAcceptAttribute);
  const text = label ?? t(isTextOnly(uploads) ? 'attach' : 'attach_any');
  return (
    <>
      <input
        ref={chooser}
        type="file"
        hidden
        accept={accepted.includes(undefined) ? undefined : accepted.join(',')}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file) onFile(file);
          event.currentTarget.value = '';
        }}
      />
      <button
        type="button"
        class={label === undefined ? 'icon-button' : 'button'}
        aria-label={text}
        title={text}
        onClick={() => chooser.current?.click()}
      >
        <Icon name="attach" />
        {label}
      </button>
    </>
  );
}
