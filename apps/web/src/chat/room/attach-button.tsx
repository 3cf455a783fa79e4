/** @jsxImportSource preact */
import { useRef } from 'preact/hooks';
import { byteText } from '../../ui/display/byte-text.ts';
import { readTextFile } from '../conversation/attach.ts';
import { Icon } from '../icon.tsx';
import { locale, t } from '../texts.ts';

interface AttachProps {
  max_bytes: number;
  onText: (text: string) => void;
  onProblem: (text: string) => void;
}

/** Reads a file or says why it is not taken. */
export async function attach(file: File, { max_bytes, onText, onProblem }: AttachProps): Promise<void> {
  const attached = await readTextFile(file, max_bytes);
  if ('text' in attached) onText(attached.text);
  else onProblem(t(attached.problem, { name: file.name, size: byteText(max_bytes, locale) }));
}

export function AttachButton(props: AttachProps) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={chooser}
        type="file"
        hidden
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file) void attach(file, props);
          event.currentTarget.value = '';
        }}
      />
      <button
        type="button"
        class="icon-button"
        aria-label={t('attach')}
        title={t('attach')}
        onClick={() => chooser.current?.click()}
      >
        <Icon name="attach" />
      </button>
    </>
  );
}
