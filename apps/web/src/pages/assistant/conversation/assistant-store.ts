import { type AssistantAttachment, dashboardChat } from '@millrace/contracts';
import { createStore } from 'zustand/vanilla';
import { takeTurn } from './follow.ts';
import { type Answer, type Decision, historyOf, type Message, newAnswer, type Part } from './message.ts';
import { type Chat, keep, type ModelChoice, readKept } from './storage.ts';

export interface Draft {
  readonly text: string;
  readonly attachment?: AssistantAttachment | undefined;
}

interface AssistantState {
  readonly chats: readonly Chat[];
  /** Id of the one on screen. */
  readonly current: string;
  readonly choice: ModelChoice | null;
  /** Ends the turn in progress. */
  readonly turn: AbortController | null;
  choose(choice: ModelChoice): void;
  show(chat_id: string): void;
  begin(): void;
  remove(chat_id: string): void;
  ask(draft: Draft): void;
  decide(part: ConfirmationPart, decision: Decision): void;
  stop(): void;
}

export type ConfirmationPart = Extract<Part, { kind: 'confirmation' }>;
export type AssistantStore = ReturnType<typeof createAssistantStore>;

const newChat = (): Chat => ({
  id: crypto.randomUUID(),
  messages: [],
  updated_at: new Date().toISOString(),
});

export const messagesOf = ({ chats, current }: Pick<AssistantState, 'chats' | 'current'>) =>
  chats.find(({ id }) => id === current)?.messages ?? [];

/** Chats of one person. A turn continues while they look at other pages, and ends with the page of the browser. */
function createAssistantStore(user_id: string) {
  const { chats, choice } = readKept(user_id);
  const first = newChat();
  const store = createStore<AssistantState>()((set, get) => {
    const removed = new Set<string>();
    const save = () => keep(user_id, { ...get(), removed });

    function change(chat_id: string, next: (messages: readonly Message[]) => readonly Message[]): void {
      set((state) => ({
        chats: state.chats.map((chat) =>
          chat.id === chat_id
            ? { ...chat, messages: next(chat.messages), updated_at: new Date().toISOString() }
            : chat,
        ),
      }));
    }

    const changeAnswer = (chat_id: string, answer_id: string, next: (answer: Answer) => Answer) =>
      change(chat_id, (messages) =>
        messages.map((message) =>
          message.role === 'assistant' && message.id === answer_id ? next(message) : message,
        ),
      );

    /** @returns whether the server took the turn */
    async function take(more: object, shown: readonly Message[]): Promise<boolean> {
      const { current: chat_id, choice: chosen, turn: running } = get();
      if (!chosen || running) return false;
      const turn = new AbortController();
      const answer = newAnswer();
      const conversation_history = historyOf(messagesOf(get()));
      set({ turn });
      change(chat_id, (messages) => [...messages, ...shown, answer]);
      save();
      const isTaken = await takeTurn(dashboardChat, {
        body: { ...chosen, ...more, conversation_history, client_local_datetime: localTime() },
        signal: turn.signal,
        change: (next) => changeAnswer(chat_id, answer.id, next),
      });
      set({ turn: null });
      save();
      return isTaken;
    }

    return {
      chats: [first, ...chats],
      current: first.id,
      choice,
      turn: null,
      choose(next) {
        set({ choice: next });
        save();
      },
      show: (current) => set({ current }),
      begin() {
        const chat = newChat();
        set(({ chats: others }) => ({
          chats: [chat, ...others.filter(({ messages }) => messages.length > 0)],
          current: chat.id,
        }));
      },
      remove(chat_id) {
        removed.add(chat_id);
        set(({ chats: all }) => ({ chats: all.filter(({ id }) => id !== chat_id) }));
        get().begin();
        save();
      },
      ask({ text, attachment }) {
        const question: Message = {
          role: 'user',
          id: crypto.randomUUID(),
          text,
          attachment: attachment?.name ?? null,
        };
        // A file alone is a question, too.
        const message = text.trim() === '' ? `See ${attachment?.name ?? ''}` : text;
        void take({ message, ...(attachment ? { attachment } : {}) }, [question]);
      },
      decide(part, decision) {
        const { current: chat_id } = get();
        const { token, tool, arguments: input } = part.asked;
        const show = (shown: Decision | null) =>
          change(chat_id, (messages) => messages.map((message) => decided(message, token, shown)));
        show(decision);
        void take({ message: '', confirmation: { token, tool, arguments: input, decision } }, []).then(
          (isTaken) => {
            if (isTaken) return;
            show(null);
            save();
          },
        );
      },
      stop: () => get().turn?.abort(),
    };
  });
  return store;
}

function decided(message: Message, token: string, decision: Decision | null): Message {
  if (message.role === 'user') return message;
  const parts = message.parts.map((part) =>
    part.kind === 'confirmation' && part.asked.token === token ? { ...part, decision } : part,
  );
  return { ...message, parts };
}

/** Minutes from UTC as ISO 8601 writes them. */
function localTime(): string {
  const now = new Date();
  const offset = -now.getTimezoneOffset();
  const two = (value: number) => String(Math.trunc(Math.abs(value))).padStart(2, '0');
  const local = new Date(now.getTime() + offset * 60_000).toISOString().slice(0, 19);
  return `${local}${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`;
}

const stores = new Map<string, AssistantStore>();

/** One store per person, shared by all pages. */
export function assistantStoreOf(user_id: string): AssistantStore {
  const known = stores.get(user_id);
  if (known) return known;
  const store = createAssistantStore(user_id);
  stores.set(user_id, store);
  return store;
}
