/** @jsxImportSource preact */
import { useRef } from 'preact/hooks';
import { readTextFile } from '../conversation/attach.ts';
import { Icon } from '../icon.tsx';
import { locale, t } from '../texts.ts';

interface AttachProps {
  max_bytes: number;
  onText: (text: string) => void;
  onProblem: (text: string) => void;
}

const MB = 1024 * 1024;

function sizeText(bytes: number): string {
  const unit = bytes < MB ? 'kilobyte' : 'megabyte';
  const amount = bytes / (bytes < MB ? 1024 : MB);
  return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: 1 }).format(amount);
}

/** Reads a file or says why it is not taken. */
export async function attach(file: File, { max_bytes, onText, onProblem }: AttachProps): Promise<void> {
  const attached = await readTextFile(file, max_bytes);
  if ('text' in attached) onText(attached.text);
  else onProblem(t(attached.problem, { name: file.name, size: sizeText(max_bytes) }));
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
