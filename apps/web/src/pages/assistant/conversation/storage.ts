import { forStorage, type Message } from './message.ts';

const VERSION = 1;
const MOST_CHATS = 20;

export interface Chat {
  readonly id: string;
  readonly messages: readonly Message[];
  /** ISO 8601. */
  readonly updated_at: string;
}

export interface ModelChoice {
  readonly credential_id: string;
  readonly model: string;
}

interface Kept {
  readonly version: number;
  readonly chats: readonly Chat[];
  readonly choice: ModelChoice | null;
}

const NOTHING: Kept = { version: VERSION, chats: [], choice: null };
/** In a shared browser, chats are kept per person. */
const keyOf = (user_id: string) => `millrace.assistant.${user_id}`;

export function readKept(user_id: string): Kept {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(user_id)) ?? 'null') as Kept | null;
    return kept?.version === VERSION && Array.isArray(kept.chats) ? kept : NOTHING;
  } catch {
    return NOTHING;
  }
}

interface Current extends Omit<Kept, 'version'> {
  /** Ids of chats that were deleted here. */
  readonly removed: ReadonlySet<string>;
}

/** Keeps the newest chats as far as the browser has room, with those that another tab has kept meanwhile. */
export function keep(user_id: string, { chats, choice, removed }: Current): void {
  const own = new Set(chats.map(({ id }) => id));
  const others = readKept(user_id).chats.filter(({ id }) => !own.has(id) && !removed.has(id));
  const newest = [...chats, ...others]
    .filter(({ messages }) => messages.length > 0)
    .toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1))
    .slice(0, MOST_CHATS)
    .map((chat) => ({ ...chat, messages: chat.messages.map(forStorage) }));
  for (let count = newest.length; count >= 0; count--) {
    try {
      const kept: Kept = { version: VERSION, chats: newest.slice(0, count), choice };
      localStorage.setItem(keyOf(user_id), JSON.stringify(kept));
      return;
    } catch {
      // No room for the oldest one, or storage is blocked.
    }
  }
}

const TITLE_CHARACTERS = 60;

/** The first words of a chat; empty before there are some. */
export function titleOf({ messages }: Chat): string {
  const first = messages.find((message) => message.role === 'user');
  const text = first?.role === 'user' ? first.text.trim() || (first.attachment ?? '') : '';
  return text.length > TITLE_CHARACTERS ? `${text.slice(0, TITLE_CHARACTERS)}…` : text;
}
