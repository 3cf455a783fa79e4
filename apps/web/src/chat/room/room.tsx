/** @jsxImportSource preact */
import type { PortalInfo } from '@millrace/contracts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { createConversation } from '../conversation/conversation.ts';
import { isWorking, type Message } from '../conversation/message.ts';
import { browserStore, readConversation, type Session, writeConversation } from '../conversation/storage.ts';
import { Icon } from '../icon.tsx';
import { t } from '../texts.ts';
import { AnswerView } from './answer-view.tsx';
import { Composer } from './composer.tsx';
import { QuestionView } from './question-view.tsx';
import { RoomHeader } from './room-header.tsx';
import { hasKeyboard } from './text-area.tsx';
import { useAnnouncement } from './use-announcement.ts';
import { useBottom } from './use-bottom.ts';

interface RoomProps {
  slug: string;
  info: PortalInfo;
  session: Session | undefined;
  onSignOut: (reason: 'asked' | 'over') => void;
}

/** The conversation of one visitor. */
function useConversation({ slug, info, session, onSignOut }: RoomProps) {
  const store = browserStore();
  const username = session?.username ?? '';
  const signOutRef = useRef(onSignOut);
  signOutRef.current = onSignOut;
  const [messages, show] = useState<readonly Message[]>(() => readConversation(store, slug, username));
  const [conversation] = useState(() =>
    createConversation({
      door: { slug, token: session?.token },
      streams: info.stream_enabled,
      messages,
      onChange(changed) {
        show(changed);
        writeConversation(store, slug, { username, messages: changed });
      },
      onSignedOut: () => signOutRef.current('over'),
    }),
  );
  useEffect(() => conversation.resume(), [conversation]);
  return { conversation, messages };
}

export function Room(props: RoomProps) {
  const { info } = props;
  const { conversation, messages } = useConversation(props);
  const [closed, setClosed] = useState<readonly Message[]>();
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
  const close = () => {
    setClosed(messages);
    act(() => conversation.replaceAll([]));
  };
  return (
    <>
      <RoomHeader
        info={info}
        messages={messages}
        username={props.session?.username}
        onNew={works ? undefined : close}
        onSignOut={() => props.onSignOut('asked')}
      />
      <main ref={scroller} class="scroller" tabIndex={-1}>
        {messages.length === 0 ? <Welcome info={info} /> : null}
        <div role="log" aria-label={t('messages')} class="messages">
          {messages.map((message) =>
            message.role === 'user' ? (
              <QuestionView
                key={message.id}
                question={message}
                info={info}
                onEdit={works ? undefined : (inputs) => act(() => conversation.edit(message.id, inputs))}
              />
            ) : (
              <AnswerView
                key={message.id}
                answer={message}
                onRetry={message === last && !works ? () => act(() => conversation.retry()) : undefined}
              />
            ),
          )}
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
        {closed && closed.length > 0 && messages.length === 0 ? (
          <p class="undo">
            {t('chat_closed')}{' '}
            <button type="button" class="link" onClick={() => act(() => conversation.replaceAll(closed))}>
              {t('bring_back')}
            </button>
          </p>
        ) : null}
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
const emptyInputs = ({ input_fields: [first, ...others] }: PortalInfo) =>
  first && others.length === 0 && typeof first.defaultValue === 'string' ? { [first.key]: '' } : undefined;

/** What this chat is for, until there is a message. */
function Welcome({ info }: { info: PortalInfo }) {
  return (
    <div class="welcome">
      <span class="badge" aria-hidden="true">
        {Array.from(info.workflow_name.trim())[0]?.toLocaleUpperCase() ?? '·'}
      </span>
      <h2 dir="auto">{info.workflow_name}</h2>
      {info.workflow_description ? <p dir="auto">{info.workflow_description}</p> : null}
    </div>
  );
}
