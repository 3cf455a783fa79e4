import { PORTAL_PREVIEW_SLUG, type PortalInfo } from '@millrace/contracts';
import { useEffect, useRef } from 'react';
import { PortalSection } from './portal-section.tsx';
import { usePortalTexts } from './texts/use-portal-texts.ts';

/** The page of visitors with settings that are not saved, in a frame of its own. */
export function PortalPreview({ info }: { info: PortalInfo }) {
  const t = usePortalTexts();
  const frame = useRef<HTMLIFrameElement>(null);
  const latest = useRef(info);
  latest.current = info;
  const show = () =>
    frame.current?.contentWindow?.postMessage(
      { type: 'millrace-chat-preview', info: latest.current },
      window.location.origin,
    );
  const given = JSON.stringify(info);
  // oxlint-disable-next-line react/exhaustive-deps -- the text has all of the settings
  useEffect(show, [given]);
  useEffect(() => {
    const onMessage = ({ source }: MessageEvent) => {
      if (source !== null && source === frame.current?.contentWindow) show();
    };
    window.addEventListener('message', onMessage);
    return () => window.removeEventListener('message', onMessage);
  }, []);
  return (
    <PortalSection title={t('preview')} hint={t('preview_hint')} className="gap-2">
      {/* oxlint-disable-next-line react/iframe-missing-sandbox -- a page of this server, whose scripts are its own */}
      <iframe
        ref={frame}
        src={`/chat/${PORTAL_PREVIEW_SLUG}`}
        title={t('preview')}
        className="h-[34rem] w-full rounded-l border border-line-strong bg-surface"
      />
    </PortalSection>
  );
}
