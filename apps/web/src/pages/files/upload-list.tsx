import { CircleAlert, CircleCheck, LoaderCircle, X } from 'lucide-react';
import { useLocale } from 'use-intl';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { byteText } from '../../ui/display/byte-text.ts';
import { ProgressBar } from '../../ui/display/progress-bar.tsx';
import { useFilesTexts } from './texts/use-files-texts.ts';
import { forgetFinished, forgetUpload, type Upload, useUploads } from './uploads.ts';

function Row({ upload }: { upload: Upload }) {
  const t = useFilesTexts();
  const locale = useLocale();
  const percent = Math.round(upload.share * 100);
  const going = upload.state === 'sending' || upload.state === 'waiting';
  return (
    <li className="flex min-h-9 items-center gap-2.5 border-b border-line px-5 last:border-b-0">
      {upload.state === 'done' ? <CircleCheck className="size-4 text-success" aria-hidden /> : null}
      {upload.state === 'failed' ? <CircleAlert className="size-4 text-danger" aria-hidden /> : null}
      {going ? <LoaderCircle className="size-4 animate-spin text-info" aria-hidden /> : null}
      <span className="w-1/3 min-w-0 truncate">{upload.name}</span>
      {upload.state === 'failed' ? (
        <span className="min-w-0 grow truncate text-danger">{upload.problem}</span>
      ) : (
        <ProgressBar
          label={t('progress', { name: upload.name })}
          share={upload.share}
          className="min-w-16 grow"
        />
      )}
      <span className="tabular w-20 shrink-0 text-right text-sm text-faint">
        {going ? `${percent} %` : byteText(upload.size, locale)}
      </span>
      <IconButton
        size="small"
        label={going ? t('stop_upload', { name: upload.name }) : t('forget_upload', { name: upload.name })}
        icon={<X aria-hidden />}
        onClick={() => forgetUpload(upload.id)}
      />
    </li>
  );
}

/** The uploads under way and what came of them. */
export function UploadList() {
  const t = useFilesTexts();
  const uploads = useUploads((state) => state.uploads);
  if (uploads.length === 0) return null;
  const finished = uploads.some((upload) => upload.state === 'done' || upload.state === 'failed');
  return (
    <section aria-label={t('uploads')} className="shrink-0 border-b border-line bg-canvas">
      <div className="flex items-center justify-between px-5 pt-2">
        <h2 className="text-sm font-medium text-faint">{t('uploads')}</h2>
        {finished ? (
          <Button size="small" tone="quiet" onClick={forgetFinished}>
            {t('clear_finished')}
          </Button>
        ) : null}
      </div>
      <ul className="max-h-44 overflow-y-auto">
        {uploads.map((upload) => (
          <Row key={upload.id} upload={upload} />
        ))}
      </ul>
    </section>
  );
}
