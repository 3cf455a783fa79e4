import type { ChatAnswer, ChatMessage, ChatPart, ChatQuestion } from '@millrace/contracts';

export type Part<Kind extends ChatPart['kind']> = Extract<ChatPart, { kind: Kind }>;
export type Decision = 'accept' | 'refuse';

/** Names and times are the page's until the server gives its own. */
export const newQuestion = (text: string, attachment: string | null): ChatQuestion => ({
  role: 'user',
  id: crypto.randomUUID(),
  text,
  attachment,
  created_at: new Date().toISOString(),
});

export const newAnswer = (): ChatAnswer => ({
  role: 'assistant',
  id: crypto.randomUUID(),
  parts: [],
  state: 'open',
  problem: null,
  created_at: new Date().toISOString(),
});

/** The server keeps neither pictures nor addresses of reviews; what came to this page is shown for as long as it is open. */
function withSeen(part: ChatPart, seen: ChatPart | undefined): ChatPart {
  if (part.kind === 'output' && seen?.kind === 'output') return { ...part, images: seen.images };
  if (part.kind === 'review' && seen?.kind === 'review') return { ...part, review_url: seen.review_url };
  return part;
}

export interface Decided {
  readonly token: string;
  readonly decision: Decision;
}

/** A turn that this page has begun. */
export interface Turn {
  /** Null when only a decision was sent. */
  readonly question: ChatQuestion | null;
  readonly answer: ChatAnswer;
  readonly decided: Decided | null;
  readonly is_running: boolean;
}

function withDecision(message: ChatMessage, decided: Decided | null): ChatMessage {
  if (message.role === 'user' || !decided) return message;
  const { token, decision } = decided;
  const parts = message.parts.map((part) =>
    part.kind === 'confirmation' && part.asked.token === token ? { ...part, decision } : part,
  );
  return { ...message, parts };
}

/** The messages that the server has, with those that are on their way. */
export function shownMessages(
  kept: readonly ChatMessage[],
  turn: Turn | undefined,
  seen: ReadonlyMap<string, ChatAnswer>,
): readonly ChatMessage[] {
  const newest = turn ? [...(turn.question ? [turn.question] : []), turn.answer] : [];
  const ids = new Set(newest.map(({ id }) => id));
  const before = kept
    .filter(({ id }) => !ids.has(id))
    .map((message) => {
      const live = message.role === 'assistant' ? seen.get(message.id) : undefined;
      if (message.role === 'user' || !live) return message;
      return { ...message, parts: message.parts.map((part, at) => withSeen(part, live.parts[at])) };
    });
  return [...before.map((message) => withDecision(message, turn?.decided ?? null)), ...newest];
}
