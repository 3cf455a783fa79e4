/** @jsxImportSource preact */
import type { PortalInfo } from '@millrace/contracts';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { showColors } from '../appearance.ts';
import type { Inputs, Message } from '../conversation/message.ts';
import { newAnswer, newMessageId } from '../conversation/message.ts';
import { Composer } from '../room/composer/composer.tsx';
import { MessageView } from '../room/message/message-view.tsx';
import { RoomHeader } from '../room/room-header.tsx';
import { Welcome } from '../room/welcome.tsx';
import { t } from '../texts.ts';
import { Shell } from './shell.tsx';

interface PreviewMessage {
  readonly type: 'millrace-chat-preview';
  readonly info: PortalInfo;
}

const isPreview = (data: unknown): data is PreviewMessage =>
  typeof data === 'object' && data !== null && 'type' in data && data.type === 'millrace-chat-preview';

/** The settings that the page around this one sends before they are saved. */
function useGivenInfo(): PortalInfo | undefined {
  const [info, setInfo] = useState<PortalInfo>();
  useEffect(() => {
    const take = ({ origin, source, data }: MessageEvent<unknown>) => {
      if (origin === window.location.origin && source === window.parent && isPreview(data))
        setInfo(data.info);
    };
    window.addEventListener('message', take);
    window.parent.postMessage({ type: 'millrace-chat-preview-ready' }, window.location.origin);
    return () => window.removeEventListener('message', take);
  }, []);
  return info;
}

/** The chat as visitors will see it. A message is shown, and nothing is run. */
export function PreviewPage() {
  const info = useGivenInfo();
  const [messages, setMessages] = useState<readonly Message[]>([]);
  useLayoutEffect(() => {
    if (info) showColors(info);
  }, [info]);
  if (!info) return <Shell />;
  const show = (inputs: Inputs) =>
    setMessages([
      { id: newMessageId(), role: 'user', inputs },
      { ...newAnswer(), state: 'done', text: t('preview_note') },
    ]);
  const noOp = () => undefined;
  // Fields begin again with their defaults when they change.
  const key = JSON.stringify([info.input_fields, info.file_upload_enabled, info.file_config]);
  return (
    <>
      <RoomHeader
        info={info}
        messages={messages}
        username={undefined}
        onPast={undefined}
        onNew={() => setMessages([])}
        onSignOut={noOp}
      />
      <main class="scroller" tabIndex={-1}>
        {messages.length === 0 ? <Welcome info={info} onSend={show} /> : null}
        <div role="log" aria-label={t('messages')} class="messages">
          {messages.map((message) => (
            <MessageView key={message.id} message={message} info={info} />
          ))}
        </div>
      </main>
      <footer class="dock">
        <Composer key={key} info={info} onSend={show} isPreview />
      </footer>
    </>
  );
}
