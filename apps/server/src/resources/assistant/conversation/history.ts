import type { ChatPart } from '@millrace/contracts';
import { isAnswer, type MessageRow } from '../../chats/rows.ts';
import { markedData } from './data.ts';
import type { Earlier } from './messages.ts';

const CONFIRMED = { accept: 'confirmed', refuse: 'refused', none: 'not answered' } as const;
const PROPOSED = {
  accepted: 'accepted',
  partly_accepted: 'accepted in part',
  rejected: 'rejected',
  none: 'not decided',
} as const;

/** Returns the text and the requests of an answer as lines; what its tools returned is not kept. */
function toLines(part: ChatPart): string[] {
  switch (part.kind) {
    case 'text':
      return [part.text];
    case 'confirmation': {
      const { tool, summary, arguments: input } = part.asked;
      const outcome = CONFIRMED[part.decision ?? 'none'];
      return [`[asked to confirm ${tool} "${summary}" with ${JSON.stringify(input)}: ${outcome}]`];
    }
    case 'proposal':
      return [`[proposed a workflow: ${PROPOSED[part.decision ?? 'none']}]`];
    default:
      return [];
  }
}

/** A message of a chat as the model reads it later. */
export function asEarlier(row: MessageRow): Earlier {
  if (isAnswer(row)) return { role: 'assistant', content: row.content.parts.flatMap(toLines).join('\n\n') };
  const { text, attachment } = row.content;
  if (!attachment) return { role: 'user', content: text };
  const file =
    attachment.text === null ? `[attached: ${attachment.name}]` : markedData('attachment', attachment);
  return { role: 'user', content: `${text}\n\n${file}` };
}
