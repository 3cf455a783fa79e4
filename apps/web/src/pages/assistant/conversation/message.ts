import { ASSISTANT_LIMITS, type AssistantConfirmationFrame, type AssistantFrame } from '@millrace/contracts';

export type Decision = 'accept' | 'refuse';

/** What an answer is made of, in the order in which it came. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'step'; readonly tool: string; readonly label: string }
  | {
      readonly kind: 'output';
      readonly images: readonly string[];
      readonly run_id: string | null;
      readonly status: string | null;
    }
  | { readonly kind: 'review'; readonly summary: string; readonly draft: string; readonly url: string }
  | {
      readonly kind: 'confirmation';
      readonly asked: AssistantConfirmationFrame;
      readonly decision: Decision | null;
    };

export interface Question {
  readonly role: 'user';
  readonly id: string;
  readonly text: string;
  /** Name of the file; its content is sent once and not kept. */
  readonly attachment: string | null;
}

export type AnswerState = 'open' | 'done' | 'stopped' | 'failed' | 'lost';

export interface Answer {
  readonly role: 'assistant';
  readonly id: string;
  readonly parts: readonly Part[];
  readonly state: AnswerState;
  /** Of a failed answer, as the server said it. */
  readonly problem: string | null;
}

export type Message = Question | Answer;

export const newAnswer = (): Answer => ({
  role: 'assistant',
  id: crypto.randomUUID(),
  parts: [],
  state: 'open',
  problem: null,
});

/** An answer after one more frame. */
export function withFrame(answer: Answer, frame: AssistantFrame): Answer {
  const add = (part: Part): Answer => ({ ...answer, parts: [...answer.parts, part] });
  switch (frame.type) {
    case 'content': {
      const last = answer.parts.at(-1);
      if (last?.kind !== 'text') return add({ kind: 'text', text: frame.text.trimStart() });
      const text = last.text + frame.text;
      return { ...answer, parts: [...answer.parts.slice(0, -1), { kind: 'text', text }] };
    }
    case 'step':
      return add({ kind: 'step', tool: frame.tool, label: frame.label });
    case 'tool_output':
      return add({ kind: 'output', images: frame.images, run_id: frame.run_id, status: frame.status });
    case 'workflow_pending':
      return add({
        kind: 'review',
        summary: frame.summary,
        draft: frame.draft_text,
        url: frame.review_url,
      });
    case 'confirmation':
      return add({ kind: 'confirmation', asked: frame, decision: null });
    case 'done':
      return { ...answer, state: 'done' };
    case 'error':
      return { ...answer, state: 'failed', problem: frame.message };
    default:
      // A later server may send fields that this page does not support.
      return answer;
  }
}

const OUTCOMES = { accept: 'confirmed', refuse: 'refused', none: 'not answered' } as const;

/** A message as the model reads it in the next request. */
function asHistory(message: Message): { role: 'user' | 'assistant'; content: string } {
  if (message.role === 'user') {
    const file = message.attachment === null ? '' : `\n[attached: ${message.attachment}]`;
    return { role: 'user', content: `${message.text}${file}` };
  }
  const lines = message.parts.flatMap((part) => {
    if (part.kind === 'text') return [part.text];
    if (part.kind !== 'confirmation') return [];
    const { tool, summary, arguments: input } = part.asked;
    return [
      `[asked to confirm ${tool} "${summary}" with ${JSON.stringify(input)}: ${OUTCOMES[part.decision ?? 'none']}]`,
    ];
  });
  return { role: 'assistant', content: lines.join('\n\n') };
}

const HISTORY_MESSAGES = 60;

/** The newest messages as the next request sends them, within the bounds of the server. */
export const historyOf = (messages: readonly Message[]) =>
  messages.slice(-HISTORY_MESSAGES).map((message) => {
    const { role, content } = asHistory(message);
    return { role, content: content.slice(0, ASSISTANT_LIMITS.history_message_characters) };
  });

/** As a browser keeps it, which has little room: without pictures. */
export const forStorage = (message: Message): Message =>
  message.role === 'user'
    ? message
    : {
        ...message,
        // A page that was closed heard no end.
        state: message.state === 'open' ? 'lost' : message.state,
        parts: message.parts.map((part) => (part.kind === 'output' ? { ...part, images: [] } : part)),
      };
