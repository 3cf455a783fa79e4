import { z } from 'zod';
import { type AssistantFrame, confirmationFrame, proposedChange } from './assistant-frames.ts';
import { timestamp, uuid } from './common.ts';

const part = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('step'), tool: z.string(), label: z.string() }),
  z.object({
    kind: z.literal('output'),
    /** Data URLs; a stored answer has none, they are in the run. */
    images: z.array(z.string()),
    run_id: uuid.nullable(),
    status: z.string().nullable(),
  }),
  z.object({
    kind: z.literal('review'),
    summary: z.string(),
    draft_text: z.string(),
    /** Null in a stored answer: the address alone lets its reader decide. */
    review_url: z.string().nullable(),
  }),
  z.object({
    kind: z.literal('confirmation'),
    asked: confirmationFrame,
    decision: z.enum(['accept', 'refuse']).nullable(),
  }),
  z.object({
    kind: z.literal('proposal'),
    /** Null once it was decided, or once the next message was sent. */
    proposed: proposedChange.nullable(),
    decision: z.enum(['accepted', 'partly_accepted', 'rejected']).nullable(),
  }),
]);
export type ChatPart = z.infer<typeof part>;

export const chatQuestion = z
  .object({
    role: z.literal('user'),
    id: uuid,
    text: z.string(),
    /** Name of the file. */
    attachment: z.string().nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'ChatQuestion' });
export type ChatQuestion = z.infer<typeof chatQuestion>;

/** `lost`: the server ended before the answer did. */
export const chatAnswerState = z.enum(['open', 'done', 'stopped', 'failed', 'lost']);
export type ChatAnswerState = z.infer<typeof chatAnswerState>;

export const chatAnswer = z
  .object({
    role: z.literal('assistant'),
    id: uuid,
    /** In the order in which they came. */
    parts: z.array(part),
    state: chatAnswerState,
    /** Why it failed, for a failed answer. */
    problem: z.string().nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'ChatAnswer' });
export type ChatAnswer = z.infer<typeof chatAnswer>;

export const chatMessage = z.discriminatedUnion('role', [chatQuestion, chatAnswer]);
export type ChatMessage = z.infer<typeof chatMessage>;

/** The parts of an answer that a frame changes. */
export type AnswerContent = Pick<ChatAnswer, 'parts' | 'state' | 'problem'>;

/** An answer after one more frame: server and browser build it alike. */
export function withFrame<Answer extends AnswerContent>(answer: Answer, frame: AssistantFrame): Answer {
  const add = (next: ChatPart): Answer => ({ ...answer, parts: [...answer.parts, next] });
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
    case 'workflow_pending': {
      const { summary, draft_text, review_url } = frame;
      return add({ kind: 'review', summary, draft_text, review_url });
    }
    case 'confirmation':
      return add({ kind: 'confirmation', asked: frame, decision: null });
    case 'workflow_proposal': {
      const { workflow, changes } = frame;
      // A later proposal of the same answer replaces the one before.
      const parts = answer.parts.filter(({ kind }) => kind !== 'proposal');
      return {
        ...answer,
        parts: [...parts, { kind: 'proposal', proposed: { workflow, changes }, decision: null }],
      };
    }
    case 'done':
      return { ...answer, state: 'done' };
    case 'error':
      return { ...answer, state: 'failed', problem: frame.message };
    default:
      // Names of the chat, and frames of a later server.
      return answer;
  }
}
