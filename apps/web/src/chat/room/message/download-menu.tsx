/** @jsxImportSource preact */
import { useId, useRef } from 'preact/hooks';
import { saveText } from '../../../lib/files/save-file.ts';
import type { Message } from '../../conversation/message.ts';
import { transcript, transcriptPage } from '../../conversation/transcript.ts';
import { Icon } from '../../icon.tsx';
import { locale, t } from '../../texts.ts';

interface DownloadProps {
  title: string;
  messages: readonly Message[];
}

/** The conversation as a file: Markdown, or the page as it is shown. */
export function DownloadMenu({ title, messages }: DownloadProps) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const name = title.replace(/[^\p{L}\p{N}]+/gu, '-') || 'chat';
  const saveMarkdown = () => {
    const text = transcript(title, messages, { user: t('you'), assistant: t('answer') });
    saveText(text, `${name}.md`, 'text/markdown;charset=utf-8');
  };
  const savePage = () => {
    const log = document.querySelector('.messages');
    if (log) saveText(transcriptPage(title, log, locale), `${name}.html`, 'text/html;charset=utf-8');
  };
  const choose = (save: () => void) => () => {
    menu.current?.hidePopover();
    save();
  };
  return (
    <>
      <button type="button" class="tool" title={t('download')} popovertarget={id}>
        <Icon name="download" />
        <span>{t('download')}</span>
      </button>
      <div ref={menu} id={id} popover="auto" class="menu">
        <button type="button" onClick={choose(saveMarkdown)}>
          {t('download_markdown')}
        </button>
        <button type="button" onClick={choose(savePage)}>
          {t('download_page')}
        </button>
      </div>
    </>
  );
}
