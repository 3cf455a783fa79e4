import { z } from 'zod';
import { type AssistantFrame, toolArguments } from './assistant-frames.ts';
import { uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { graphEdgeInput, graphNodeInput } from './graph.ts';

/** Bounds of one request to an assistant; larger ones are refused. */
export const ASSISTANT_LIMITS = {
  message_characters: 32_000,
  history_messages: 200,
  history_message_characters: 100_000,
  text_characters: 200_000,
  image_bytes: 5 * 1024 * 1024,
  pdf_bytes: 10 * 1024 * 1024,
  /** Of a confirmation, in minutes. */
  confirmation_minutes: 10,
} as const;

const model = z.string().trim().min(1, 'must not be empty').max(200);
const message = z.string().max(ASSISTANT_LIMITS.message_characters);

const conversation_history = z
  .array(
    z.looseObject({
      role: z.enum(['user', 'assistant']),
      content: z.string().max(ASSISTANT_LIMITS.history_message_characters),
    }),
  )
  .max(ASSISTANT_LIMITS.history_messages)
  .nullish()
  .transform((list) => list ?? []);

/**
 * A chat that keeps the conversation: its messages are the history, and the answer is completed when the caller leaves.
 * Without one, a caller who leaves ends the turn.
 */
const chat_id = uuid.nullish();
const ONE_HISTORY = {
  path: ['conversation_history'],
  message: 'must be empty with a chat_id: the chat keeps its messages',
};
const hasOneHistory = (body: { chat_id?: string | null | undefined; conversation_history: unknown[] }) =>
  !body.chat_id || body.conversation_history.length === 0;

/** `content` is text, or for images and PDF files a data URL; Base64 alone is taken for a PDF file. */
const attachment = z.object({
  name: z.string().min(1, 'must not be empty').max(255),
  kind: z.enum(['text', 'image', 'pdf']),
  content: z.string().min(1, 'must not be empty'),
});
export type AssistantAttachment = z.infer<typeof attachment>;

/** The answer to a frame `confirmation`, with the parts of that frame. */
const confirmationAnswer = z.object({
  token: z.string().min(1, 'must not be empty').max(4_096),
  tool: z.string().max(64),
  arguments: toolArguments,
  decision: z.enum(['accept', 'refuse']),
});
export type AssistantConfirmation = z.infer<typeof confirmationAnswer>;

const WITHOUT_WORDS = { path: ['message'], message: 'must not be empty' };
const hasWords = ({
  message: text,
  confirmation,
}: {
  message: string;
  confirmation?: object | null | undefined;
}) => text.trim() !== '' || Boolean(confirmation);

const tag = 'Assistant';
const BODY_BYTES = 16 * 1024 * 1024;

export const dashboardChat = endpoint({
  id: 'dashboardChat',
  method: 'POST',
  path: '/api/ai/dashboard-chat',
  tag,
  summary:
    'One turn of the chat with the assistant, as a stream; what changes something is answered by a frame `confirmation`, which the next request returns with a decision',
  auth: 'session',
  kind: 'stream',
  body_limit: BODY_BYTES,
  body: z
    .object({
      credential_id: uuid,
      model,
      message,
      chat_id,
      conversation_history,
      chat_surface: z.enum(['dashboard', 'documentation']).nullish(),
      /** Replaces the rules of the account. */
      user_rules: z.string().max(4_000).nullish(),
      /** ISO 8601 with or without a zone. */
      client_local_datetime: z.string().max(64).nullish(),
      attachment: attachment.nullish(),
      confirmation: confirmationAnswer.nullish(),
    })
    .refine(hasWords, WITHOUT_WORDS)
    .refine(hasOneHistory, ONE_HISTORY),
  errors: ['bad_request', 'not_found', 'conflict', 'too_large', 'rate_limited'],
});

export const workflowAssistant = endpoint({
  id: 'workflowAssistant',
  method: 'POST',
  path: '/api/ai/workflow-assistant',
  tag,
  summary:
    'One turn with the assistant of the editor, as a stream: answers, or proposes a checked workflow as a frame `workflow_proposal`, and saves nothing; to run the repaired draft of `workflow_id` is answered by a frame `confirmation`, which the next request returns with a decision',
  auth: 'session',
  kind: 'stream',
  body_limit: BODY_BYTES,
  body: z
    .object({
      credential_id: uuid,
      model,
      message,
      /** Whose runs are read, and whose draft is run once that is confirmed; by default that of the chat. */
      workflow_id: uuid.nullish(),
      current_workflow: z
        .looseObject({
          name: z.string().max(255).nullish(),
          nodes: z.array(graphNodeInput).max(500),
          edges: z.array(graphEdgeInput).max(2_000),
        })
        .nullish(),
      chat_id,
      conversation_history,
      /** Workflows that a proposal may run, as the model reads them. */
      available_workflows: z.array(z.unknown()).max(500).nullish(),
      /** Only answers, proposes nothing. */
      ask_mode: z.boolean().default(false),
      confirmation: confirmationAnswer.nullish(),
    })
    .refine(hasWords, WITHOUT_WORDS)
    .refine(hasOneHistory, ONE_HISTORY),
  errors: ['bad_request', 'not_found', 'conflict', 'rate_limited'],
});

/** Bounds of a skill that the builder writes. */
export const SKILL_LIMITS = { files: 20, path_characters: 255, file_characters: 100_000 } as const;

/** One frame of the builder's stream; the last one is `done` or `error`. */
export type SkillBuilderFrame =
  | { readonly type: 'text_chunk'; readonly content: string }
  | Extract<AssistantFrame, { type: 'skill_files_update' | 'done' | 'error' }>;

export const skillBuilder = endpoint({
  id: 'skillBuilder',
  method: 'POST',
  path: '/api/ai/skill-builder',
  tag,
  summary:
    'One turn with the builder of skills for agents, as a stream: `text_chunk` with words, `skill_files_update` with all files of the skill; saves nothing',
  auth: 'session',
  kind: 'stream',
  body_limit: BODY_BYTES,
  body: z.object({
    credential_id: uuid,
    model,
    message: message.refine((text) => text.trim() !== '', 'must not be empty'),
    /** The skill to change, as the agent has it. */
    existing_skill: z
      .looseObject({
        name: z.string().max(255).nullish(),
        content: z.string().nullish(),
        files: z
          .array(z.looseObject({ path: z.string() }))
          .max(SKILL_LIMITS.files)
          .nullish(),
      })
      .nullish(),
    conversation_history,
  }),
  errors: ['bad_request', 'not_found', 'rate_limited'],
});

export const fixTranscription = endpoint({
  id: 'fixTranscription',
  method: 'POST',
  path: '/api/ai/fix-transcription',
  tag,
  summary: 'Correct a text that was transcribed from speech',
  auth: 'session',
  body: z.object({
    credential_id: uuid,
    model,
    text: message.refine((text) => text.trim() !== '', 'must not be empty'),
  }),
  response: z.object({ fixed_text: z.string() }),
  errors: ['bad_request', 'not_found', 'rate_limited', 'unavailable'],
});

export const assistantEndpoints = [dashboardChat, workflowAssistant, skillBuilder, fixTranscription];
