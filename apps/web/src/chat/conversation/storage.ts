import type { Message } from './message.ts';

const VERSION = 1;

/** What is kept in the visitor's browser. Absent where storage is blocked; the page then forgets at a reload. */
export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export interface Session {
  readonly token: string;
  readonly username: string;
  /** ISO 8601. */
  readonly expires_at: string;
}

interface Kept {
  readonly version: number;
  readonly username: string;
  readonly messages: readonly Message[];
}

const conversationKey = (slug: string) => `millrace.chat.${slug}`;
const sessionKey = (slug: string) => `millrace.chat-session.${slug}`;

function read<T>(store: Store | undefined, key: string): T | undefined {
  try {
    return (JSON.parse(store?.getItem(key) ?? 'null') as T | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** False when there is no room or storage is blocked. */
function write(store: Store | undefined, key: string, value: unknown): boolean {
  try {
    store?.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

function remove(store: Store | undefined, key: string): void {
  try {
    store?.removeItem(key);
  } catch {
    // Blocked storage holds nothing either.
  }
}

/** The conversation of this visitor; that of someone else who used the browser is not shown. */
export function readConversation(
  store: Store | undefined,
  slug: string,
  username: string,
): readonly Message[] {
  const kept = read<Kept>(store, conversationKey(slug));
  return kept?.version === VERSION && kept.username === username && Array.isArray(kept.messages)
    ? kept.messages
    : [];
}

/** Keeps the newest messages that fit, if not all do. */
export function writeConversation(
  store: Store | undefined,
  slug: string,
  { username, messages }: { username: string; messages: readonly Message[] },
): void {
  const key = conversationKey(slug);
  if (messages.length === 0) return remove(store, key);
  for (let from = 0; from < messages.length; from += Math.max(2, Math.ceil(messages.length / 8)))
    if (write(store, key, { version: VERSION, username, messages: messages.slice(from) })) return;
  remove(store, key);
}

export const forgetConversation = (store: Store | undefined, slug: string): void =>
  remove(store, conversationKey(slug));

export function readSession(store: Store | undefined, slug: string, now_ms: number): Session | undefined {
  const session = read<Session>(store, sessionKey(slug));
  return session && Date.parse(session.expires_at) > now_ms ? session : undefined;
}

export const writeSession = (store: Store | undefined, slug: string, session: Session): void =>
  void write(store, sessionKey(slug), session);

export const forgetSession = (store: Store | undefined, slug: string): void =>
  remove(store, sessionKey(slug));

/** `localStorage`, unless the browser refuses it. */
export function browserStore(): Store | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
