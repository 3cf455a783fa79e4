import type { Inputs } from './message.ts';

const VERSION = 2;

/** Storage in the visitor's browser. Absent where it is blocked; the page then forgets at a reload. */
export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export interface Session {
  readonly token: string;
  readonly username: string;
  /** ISO 8601. */
  readonly expires_at: string;
}

/** Where a visitor was when they left the page. */
export interface Place {
  readonly conversation_id?: string | undefined;
  /** A message that the server has not taken. */
  readonly unsent?: Inputs | undefined;
}

interface Kept extends Place {
  readonly version: number;
  readonly username: string;
}

const conversationKey = (slug: string) => `millrace.chat.${slug}`;
const visitorKey = (slug: string) => `millrace.chat-visitor.${slug}`;
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

/** The place of this visitor; that of someone else who used the browser is not shown. */
export function readPlace(store: Store | undefined, slug: string, username: string): Place {
  const kept = read<Kept>(store, conversationKey(slug));
  return kept?.version === VERSION && kept.username === username ? kept : {};
}

export function writePlace(
  store: Store | undefined,
  slug: string,
  { username, place }: { username: string; place: Place },
): void {
  const key = conversationKey(slug);
  if (place.conversation_id === undefined && !place.unsent) return remove(store, key);
  // An unsent message can be too large for the store; the conversation is still found without it.
  if (write(store, key, { version: VERSION, username, ...place })) return;
  write(store, key, { version: VERSION, username, conversation_id: place.conversation_id });
}

export const readVisitorToken = (store: Store | undefined, slug: string): string | undefined =>
  read<string>(store, visitorKey(slug));

export const writeVisitorToken = (store: Store | undefined, slug: string, token: string): void =>
  void write(store, visitorKey(slug), token);

/** Nothing in this browser leads to the conversations of the visitor any more. */
export function forgetVisitor(store: Store | undefined, slug: string): void {
  remove(store, conversationKey(slug));
  remove(store, visitorKey(slug));
}

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
