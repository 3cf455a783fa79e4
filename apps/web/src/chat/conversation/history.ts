import type { PortalCall } from '@millrace/contracts';
import { type Message, questionText } from './message.ts';

type History = NonNullable<PortalCall['conversation_history']>;

/** The server takes a thousand; older ones are left out. */
const MAX_MESSAGES = 1000;
/** Keeps a long conversation below the server's limit of a body. */
const MAX_CHARACTERS = 200_000;

const PICTURE = /!\[([^\]]*)\]\(data:[^)]*\)/g;

/** A picture is megabytes of letters that no reader of a text needs. */
const withoutPictures = (text: string): string =>
  text.replace(PICTURE, (_, alt: string) => `[${alt || 'image'}]`);

/** Earlier messages for `conversation_history`, oldest first; answers that failed or were stopped are left out. */
export function historyOf(messages: readonly Message[]): History {
  const history: History = [];
  let characters = 0;
  for (const message of messages.toReversed()) {
    const content = message.role === 'user' ? questionText(message) : withoutPictures(message.text);
    if (content === '') continue;
    characters += content.length;
    if (characters > MAX_CHARACTERS || history.length === MAX_MESSAGES) break;
    history.push({ role: message.role, content });
  }
  return history.reverse();
}
