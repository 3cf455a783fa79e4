import type { Credential } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { Bot, MessageSquarePlus, Trash2 } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { useStore } from 'zustand';
import { useModelCredentials } from '../../data/assistant.ts';
import { useMe } from '../../data/session.ts';
import { Button, buttonStyle } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { Composer } from './composer.tsx';
import { type AssistantStore, assistantStoreOf, messagesOf } from './conversation/assistant-store.ts';
import type { Message } from './conversation/message.ts';
import { titleOf } from './conversation/storage.ts';
import { Messages } from './messages.tsx';
import { canAnswer, ModelChoiceFields } from './model-choice.tsx';
import { useAssistantTexts } from './texts/use-assistant-texts.ts';

/** A chat about one's own workflows (section 6.3 of the specification, `dashboard_chat`). */
export function AssistantPage() {
  const t = useAssistantTexts();
  const store = assistantStoreOf(useMe().id);
  const credentials = useModelCredentials();
  if (credentials.isPending || credentials.isError) {
    return (
      <Page title={t('title')}>
        {credentials.isPending ? (
          <SkeletonRows rows={8} />
        ) : (
          <LoadFailed error={credentials.error} onRetry={() => void credentials.refetch()} />
        )}
      </Page>
    );
  }
  if (credentials.data.length === 0) {
    return (
      <Page title={t('title')}>
        <EmptyState
          icon={<Bot aria-hidden />}
          title={t('no_model')}
          actions={
            <Link to="/credentials" className={buttonStyle({ tone: 'primary' })}>
              {t('add_credential')}
            </Link>
          }
        >
          {t('no_model_hint')}
        </EmptyState>
      </Page>
    );
  }
  return <Chat store={store} credentials={credentials.data} />;
}

interface ChatProps {
  store: AssistantStore;
  credentials: readonly Credential[];
}

function Chat({ store, credentials }: ChatProps) {
  const t = useAssistantTexts();
  const state = useStore(store);
  const messages = messagesOf(state);
  const running = state.turn !== null;
  const field = useRef<HTMLTextAreaElement>(null);
  const ready = canAnswer(state.choice, credentials);
  return (
    <Page
      title={t('title')}
      fill
      actions={<ChatActions store={store} />}
      toolbar={<ModelChoiceFields credentials={credentials} choice={state.choice} onChoose={state.choose} />}
    >
      <Transcript store={store} field={field} messages={messages} running={running} ready={ready} />
      <div className="shrink-0 border-t border-line bg-canvas px-4 py-3 sm:px-5">
        <Composer
          field={field}
          attaches
          hint={t('message_hint')}
          ready={ready}
          running={running}
          onAsk={state.ask}
          onStop={state.stop}
        />
      </div>
    </Page>
  );
}

/** Earlier chats, a new one, and the end of this one. */
function ChatActions({ store }: { store: AssistantStore }) {
  const t = useAssistantTexts();
  const ui = useTranslations('ui');
  const { chats, current, turn, show, begin, remove } = useStore(store);
  const isUsed = chats.some(({ id, messages }) => id === current && messages.length > 0);
  const earlier = chats.filter(({ id, messages }) => messages.length > 0 || id === current);
  const removeCurrent = async () => {
    const sure = await confirm({ title: t('delete_title'), body: t('delete_body'), action: ui('delete') });
    if (sure) remove(current);
  };
  return (
    <>
      {earlier.length > 1 ? (
        <Select
          aria-label={t('chats')}
          fit
          className="max-w-36 sm:max-w-56"
          disabled={turn !== null}
          value={current}
          choices={earlier.map((chat) => ({ value: chat.id, label: titleOf(chat) || t('new_chat') }))}
          onChange={show}
        />
      ) : null}
      {isUsed ? (
        <>
          <IconButton
            label={t('delete_chat')}
            icon={<Trash2 aria-hidden />}
            disabled={turn !== null}
            onClick={() => void removeCurrent()}
          />
          <Button disabled={turn !== null} onClick={begin}>
            <MessageSquarePlus aria-hidden />
            <span className="max-sm:sr-only">{t('new_chat')}</span>
          </Button>
        </>
      ) : null}
    </>
  );
}

interface TranscriptProps {
  store: AssistantStore;
  field: RefObject<HTMLTextAreaElement | null>;
  messages: readonly Message[];
  running: boolean;
  ready: boolean;
}

const NEAR_END_PIXELS = 120;

/** Keeps the newest words in view, unless the reader has scrolled up. */
function useEnd(messages: readonly Message[]) {
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

function Transcript({ store, field, messages, running, ready }: TranscriptProps) {
  const t = useAssistantTexts();
  const { ask, decide } = store.getState();
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
      {messages.length === 0 ? (
        <Welcome ready={ready} onAsk={(text) => ask({ text })} />
      ) : (
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
      )}
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
