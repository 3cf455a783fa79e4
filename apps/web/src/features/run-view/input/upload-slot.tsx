import { FileUp } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { sendFile } from '../../../data/upload.ts';
import { uploadAddress, useUploadSlot } from '../../../data/upload-slots.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { ProgressBar } from '../../../ui/display/progress-bar.tsx';
import { DateTime } from '../../../ui/display/time.tsx';
import { FileDrop, pickFiles } from '../../../ui/forms/file-drop.tsx';
import type { Slot } from '../slot.ts';
import { useRunViewTexts } from '../texts/use-run-view-texts.ts';

interface UploadSlotProps {
  slot: Slot;
  /** Id of the run that waits. */
  run_id: string;
  /** Called once the file has come and the run continues. */
  onConsumed: () => Promise<void>;
}

/** Takes the file that the run begins with, here or by a command, and follows the run once it has come. */
export function UploadSlot({ slot, run_id, onConsumed }: UploadSlotProps) {
  const t = useRunViewTexts('upload_slot');
  const { data } = useUploadSlot(run_id);
  const [share, setShare] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const abort = useRef<AbortController>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const status = data?.status ?? 'pending';
  useEffect(() => {
    if (status === 'consumed') void onConsumed();
  }, [status, onConsumed]);

  const send = async ([file]: readonly File[]) => {
    if (!file) return;
    abort.current = new AbortController();
    setProblem(undefined);
    setShare(0);
    try {
      const { signal } = abort.current;
      await sendFile(uploadAddress(slot.upload_url), { file, signal, onProgress: setShare });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setShare(undefined);
  };

  if (status === 'expired' || status === 'cancelled')
    return <p className="p-4 text-sm text-warning">{t(status)}</p>;
  const types = slot.allowed_types.join(',');
  return (
    <FileDrop
      onFiles={(files) => void send(files)}
      invitation={t('drop')}
      className="flex flex-col gap-3 border-b border-line p-3.5"
    >
      <p className="text-sm">
        {t.rich('waits', { at: () => <DateTime at={slot.expires_at} /> })}
        <span className="block text-faint">
          {types === ''
            ? t('limit', { size: slot.max_size_mb })
            : t('limit_types', { size: slot.max_size_mb, types: slot.allowed_types.join(', ') })}
        </span>
      </p>
      {share === undefined ? (
        <Button
          onClick={() =>
            void pickFiles({ multiple: false, ...(types === '' ? {} : { accept: types }) }).then(send)
          }
        >
          <FileUp aria-hidden />
          {t('choose')}
        </Button>
      ) : (
        <ProgressBar label={t('progress')} share={share} className="w-full" />
      )}
      {problem ? (
        <p role="alert" className="text-sm text-danger">
          {problem}
        </p>
      ) : null}
      <CodeBlock code={slot.curl} label={t('curl')} wrap />
    </FileDrop>
  );
}
