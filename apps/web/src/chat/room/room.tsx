/** @jsxImportSource preact */
import type { PortalInfo } from '@millrace/contracts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { createConversation, type Opened } from '../conversation/conversation.ts';
import { findBoxField } from '../conversation/fields.ts';
import { isWorking } from '../conversation/message.ts';
import { browserStore, type Place, writePlace, writeVisitorToken } from '../conversation/storage.ts';
import { findUnsent } from '../conversation/stored.ts';
import { Icon } from '../icon.tsx';
import type { Door } from '../portal/requests.ts';
import { t } from '../texts.ts';
import { Composer } from './composer/composer.tsx';
import { hasKeyboard } from './composer/text-area.tsx';
import { MessageView } from './message/message-view.tsx';
import { PastConversations } from './past-conversations.tsx';
import { RoomHeader } from './room-header.tsx';
import { useAnnouncement } from './use-announcement.ts';
import { useBottom } from './use-bottom.ts';
import { Welcome } from './welcome.tsx';

interface RoomProps {
  door: Door;
  info: PortalInfo;
  /** Of the signed-in visitor. */
  username: string | undefined;
  opened: Opened;
  onSignOut: (reason: 'asked' | 'over') => void;
}

/** The conversation of one visitor. */
function useConversation({ door, info, username = '', opened, onSignOut }: RoomProps) {
  const store = browserStore();
  const signOutRef = useRef(onSignOut);
  signOutRef.current = onSignOut;
  const writtenRef = useRef<Place>(undefined);
  const [{ id, messages }, show] = useState(opened);
  const [conversation] = useState(() =>
    createConversation({
      door,
      streams: info.stream_enabled,
      opened,
      onChange(changed) {
        show(changed);
        const place = { conversation_id: changed.id, unsent: findUnsent(changed.messages) };
        const written = writtenRef.current;
        // Not with every letter of an answer, for what is unsent can be as large as files are.
        if (written?.conversation_id === place.conversation_id && written?.unsent === place.unsent) return;
        writtenRef.current = place;
        writePlace(store, door.slug, { username, place });
      },
      onVisitorToken: (token) => writeVisitorToken(store, door.slug, token),
      onSignedOut: () => signOutRef.current('over'),
    }),
  );
  useEffect(() => conversation.resume(), [conversation]);
  return { conversation, id, messages };
}

export function Room(props: RoomProps) {
  const { info } = props;
  const { conversation, id, messages } = useConversation(props);
  const [looksBack, setLooksBack] = useState(false);
  const [stopping, setStopping] = useState<'asked' | 'failed'>();
  const { scroller, isAway, goToEnd } = useBottom(messages);
  const last = messages.at(-1);
  const works = isWorking(last);
  const announcement = useAnnouncement(last, info.workflow_name);
  useEffect(() => {
    if (!works) setStopping(undefined);
  }, [works]);
  const stop = async () => {
    setStopping('asked');
    if (!(await conversation.stop())) setStopping('failed');
  };
  /** Buttons that go away with what they did hand the focus on; on a phone the keyboard would open for the box. */
  const handOnFocus = () => {
    const box = hasKeyboard() ? document.querySelector<HTMLElement>('.dock :is(textarea, input)') : null;
    (box ?? scroller.current)?.focus();
  };
  const act = (action: () => void) => {
    handOnFocus();
    action();
  };
  const open = (opened: Opened) => {
    act(() => conversation.open(opened));
    // The conversation that was stopped is not the one that is shown now.
    setStopping(undefined);
    goToEnd();
  };
  const { door } = conversation;
  const asksHere = info.appearance.reviews_in_chat;
  const isKnown = door.token !== undefined || door.visitor_token !== undefined;
  return (
    <>
      <RoomHeader
        info={info}
        messages={messages}
        username={props.username}
        onPast={isKnown ? () => setLooksBack(true) : undefined}
        onNew={works ? undefined : () => open({ messages: [] })}
        onSignOut={() => props.onSignOut('asked')}
      />
      {looksBack ? (
        <PastConversations
          door={door}
          current={id}
          onOpen={open}
          onDeleted={(gone) => gone === id && open({ messages: [] })}
          onClose={() => setLooksBack(false)}
        />
      ) : null}
      <main ref={scroller} class="scroller" tabIndex={-1}>
        {messages.length === 0 ? (
          <Welcome info={info} onSend={(inputs) => act(() => conversation.send(inputs))} />
        ) : null}
        <div role="log" aria-label={t('messages')} class="messages">
          {messages.map((message) => (
            <MessageView
              key={message.id}
              message={message}
              info={info}
              onEdit={works ? undefined : (inputs) => act(() => conversation.edit(message.id, inputs))}
              onRetry={message === last && !works ? () => act(() => conversation.retry()) : undefined}
              onDecided={asksHere && message === last ? () => act(() => conversation.decided()) : undefined}
            />
          ))}
        </div>
      </main>
      <footer class="dock">
        {isAway ? (
          <button type="button" class="to-end" aria-label={t('latest')} title={t('latest')} onClick={goToEnd}>
            <Icon name="down" />
          </button>
        ) : null}
        <p class="unseen" role="status">
          {announcement}
        </p>
        {stopping === 'failed' ? (
          <p role="alert" class="notice">
            {t('stop_failed')}
          </p>
        ) : null}
        <Composer
          info={info}
          inputs={messages.length > 0 ? emptyInputs(info) : undefined}
          onSend={(inputs) => {
            goToEnd();
            conversation.send(inputs);
          }}
          onStop={works ? () => void stop() : undefined}
          isStopping={stopping === 'asked'}
        />
      </footer>
    </>
  );
}

/** A default text is offered for the first message, not for each. */
function emptyInputs({ input_fields }: PortalInfo) {
  const text = findBoxField(input_fields);
  return text && typeof text.defaultValue === 'string' ? { [text.key]: '' } : undefined;
}
