import { type ChatMessage, type Credential, dashboardChat } from '@millrace/contracts';
import { getRouteApi } from '@tanstack/react-router';
import { Bot, MessageSquarePlus, MessageSquareText } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useModelCredentials } from '../../data/credentials.ts';
import { useMe } from '../../data/session.ts';
import { ChatsSheet } from '../../features/conversation/chats-sheet.tsx';
import { Composer } from '../../features/conversation/composer.tsx';
import { localTime } from '../../features/conversation/local-time.ts';
import { Messages } from '../../features/conversation/messages.tsx';
import { canAnswer, ModelChoiceFields } from '../../features/conversation/model-choice.tsx';
import { getChoiceStore } from '../../features/conversation/model-choice-store.ts';
import { useConversationTexts } from '../../features/conversation/texts/use-conversation-texts.ts';
import { type Conversation, useConversation } from '../../features/conversation/use-conversation.ts';
import { WithModels } from '../../features/conversation/with-models.tsx';
import { Button } from '../../ui/actions/button.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { useAssistantTexts } from './texts/use-assistant-texts.ts';

const route = getRouteApi('/app/assistant');

/** A chat about one's own workflows (section 6.3 of the specification, `dashboard_chat`). */
export function AssistantPage() {
  const t = useAssistantTexts();
  const credentials = useModelCredentials();
  if (credentials.data && credentials.data.length > 0) return <Chat credentials={credentials.data} />;
  return (
    <Page title={t('title')}>
      <WithModels>{() => null}</WithModels>
    </Page>
  );
}

function Chat({ credentials }: { credentials: readonly Credential[] }) {
  const t = useAssistantTexts();
  const conversationTexts = useConversationTexts();
  const { chat: chat_id } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (chat: string | undefined, replace = false) => void navigate({ search: { chat }, replace });
  const { choice, choose } = useStore(getChoiceStore(useMe().id));
  const conversation = useConversation({
    endpoint: dashboardChat,
    chat_id,
    body: () => ({ ...choice, client_local_datetime: localTime() }),
    onCreated: (created) => show(created, true),
  });
  const [isListOpen, setListOpen] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const ready = canAnswer(choice, credentials);
  const begin = () => {
    conversation.clear();
    show(undefined);
    field.current?.focus();
  };
  return (
    <Page
      title={t('title')}
      fill
      actions={
        <>
          <Button onClick={() => setListOpen(true)}>
            <MessageSquareText aria-hidden />
            <span className="max-sm:sr-only">{conversationTexts('chats')}</span>
          </Button>
          {conversation.messages.length > 0 || chat_id !== undefined ? (
            <Button onClick={begin}>
              <MessageSquarePlus aria-hidden />
              <span className="max-sm:sr-only">{conversationTexts('new_chat')}</span>
            </Button>
          ) : null}
        </>
      }
      toolbar={<ModelChoiceFields credentials={credentials} choice={choice} onChoose={choose} />}
    >
      <Transcript conversation={conversation} field={field} ready={ready} />
      <div className="shrink-0 border-t border-line bg-canvas px-4 py-3 sm:px-5">
        <Composer
          field={field}
          attaches
          hint={conversationTexts('message_hint')}
          ready={ready}
          running={conversation.running}
          onAsk={conversation.ask}
          onStop={conversation.stop}
        />
      </div>
      {isListOpen ? (
        <ChatsSheet
          current={chat_id}
          onShow={(id) => {
            setListOpen(false);
            show(id);
          }}
          onDeleted={(id) => {
            if (id === chat_id) show(undefined, true);
          }}
          onClose={() => setListOpen(false)}
        />
      ) : null}
    </Page>
  );
}

const NEAR_END_PIXELS = 120;

/** Keeps the newest words in view, unless the reader has scrolled up. */
function useEnd(messages: readonly ChatMessage[]) {
  const area = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    const element = area.current;
    if (element && follows.current && messages.length > 0) element.scrollTop = element.scrollHeight;
  }, [messages]);
  const onScroll = () => {
    const element = area.current;
    if (!element) return;
    follows.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PIXELS;
  };
  return { area, onScroll };
}

interface TranscriptProps {
  conversation: Conversation;
  field: RefObject<HTMLTextAreaElement | null>;
  ready: boolean;
}

function Transcript({ conversation, field, ready }: TranscriptProps) {
  const t = useConversationTexts();
  const { messages, running, ask, decide } = conversation;
  const { area, onScroll } = useEnd(messages);
  const last = messages.at(-1);
  const before = messages.at(-2);
  const again =
    last?.role === 'assistant' && before?.role === 'user' && before.attachment === null && ready && !running
      ? () => ask({ text: before.text })
      : undefined;
  return (
    <div
      ref={area}
      onScroll={onScroll}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={0}
      role="log"
      aria-label={t('conversation')}
      className="min-h-0 grow overflow-y-auto px-4 py-5 sm:px-5"
    >
      {conversation.is_pending ? <SkeletonRows rows={6} /> : null}
      {conversation.error ? <LoadFailed error={conversation.error} onRetry={conversation.reload} /> : null}
      {messages.length > 0 ? (
        <Messages
          messages={messages}
          canDecide={!running && ready}
          onDecide={(part, decision) => {
            decide(part, decision);
            // The button that was pressed is gone.
            field.current?.focus();
          }}
          onRetry={again}
        />
      ) : null}
      {messages.length === 0 && !conversation.is_pending && !conversation.error ? (
        <Welcome ready={ready} onAsk={(text) => ask({ text })} />
      ) : null}
    </div>
  );
}

function Welcome({ ready, onAsk }: { ready: boolean; onAsk: (text: string) => void }) {
  const t = useAssistantTexts();
  const examples = [t('example_failed'), t('example_list'), t('example_next')];
  return (
    <EmptyState
      icon={<Bot aria-hidden />}
      title={t('welcome')}
      actions={examples.map((text) => (
        <Button
          key={text}
          disabled={!ready}
          className="h-auto! py-1.5 whitespace-normal!"
          onClick={() => onAsk(text)}
        >
          {text}
        </Button>
      ))}
    >
      {t('welcome_hint')}
    </EmptyState>
  );
}
