import { z } from 'zod';
import { idParams, queryBoolean, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { storedName, storedText } from './text.ts';

export const CARD_LIMITS = {
  title: 500,
  /** Characters of Markdown. */
  content: 100_000,
  /** Characters of the content in lists. */
  excerpt: 500,
  comment: 20_000,
  /** Comments and attachments of one card. */
  comments: 1_000,
  attachments: 50,
  /** Newest entries that a card is read with. */
  activities: 200,
  runs: 100,
  /** Characters of an output as JSON; of a longer one the run has the whole. */
  output: 64_000,
} as const;

/**
 * `idle`: nothing runs. `queued`: a chain is about to start. `waiting_review`: its run waits for a person's decision.
 * `failed`: a workflow of the chain failed, or could not be started. `stopped`: a person ended the chain.
 */
export const CARD_STATUSES = [
  'idle',
  'queued',
  'running',
  'waiting_review',
  'failed',
  'done',
  'stopped',
] as const;
export type CardStatus = (typeof CARD_STATUSES)[number];

const card = {
  id: uuid,
  board_id: uuid,
  column_id: uuid,
  title: z.string(),
  /** Markdown; in lists only its beginning. */
  content: z.string(),
  is_excerpt: z.boolean(),
  /** Cards of a column are ordered by it. */
  position: z.number(),
  run_status: z.enum(CARD_STATUSES),
  card_metadata: z.object({
    comments: z.number().int(),
    attachments: z.number().int(),
    /** Name of the account that created it; null when that is gone. */
    created_by: z.string().nullable(),
  }),
  created_at: timestamp,
  updated_at: timestamp,
};

export const boardCard = z.object(card).meta({ id: 'BoardCard' });
export type BoardCard = z.infer<typeof boardCard>;

export const CARD_ACTIVITIES = [
  'created',
  'moved',
  'edited',
  'comment',
  'attached',
  'detached',
  'restored',
  'run_started',
  'run_done',
  'run_failed',
  'run_stopped',
] as const;
export type CardActivityKind = (typeof CARD_ACTIVITIES)[number];

export const cardActivity = z
  .object({
    id: uuid,
    kind: z.enum(CARD_ACTIVITIES),
    /** Null for what the service did by itself. */
    actor_id: uuid.nullable(),
    actor_name: z.string().nullable(),
    /** Markdown of a comment; names of the column, file or workflow otherwise. */
    content: z.string(),
    created_at: timestamp,
  })
  .meta({ id: 'CardActivity' });
export type CardActivity = z.infer<typeof cardActivity>;

export const cardAttachment = z
  .object({
    id: uuid,
    file_id: uuid,
    filename: z.string(),
    mime_type: z.string(),
    size_bytes: z.number().int(),
    created_at: timestamp,
  })
  .meta({ id: 'CardAttachment' });
export type CardAttachment = z.infer<typeof cardAttachment>;

export const CARD_RUN_STATUSES = [
  'pending',
  'running',
  'waiting_review',
  'success',
  'error',
  'cancelled',
] as const;

/** One workflow of a chain that a move, or a person, has started on a card. */
export const cardRun = z
  .object({
    id: uuid,
    /** The same for all runs of one chain. */
    round_id: uuid,
    workflow_id: uuid,
    workflow_name: z.string(),
    column_name: z.string(),
    /** From 1 to `chain_length`. */
    chain_position: z.number().int(),
    chain_length: z.number().int(),
    status: z.enum(CARD_RUN_STATUSES),
    /** The run in history; null until it has started. */
    execution_history_id: uuid.nullable(),
    output: z.json(),
    /** The output is too long for the card. */
    output_is_cut: z.boolean(),
    error: z.string().nullable(),
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'CardRun' });
export type CardRun = z.infer<typeof cardRun>;

export const boardCardDetail = z
  .object({
    ...card,
    /** The newest 200, newest first. */
    activities: z.array(cardActivity),
    attachments: z.array(cardAttachment),
    /** The newest 100, newest chain first, each in the order of its chain. */
    runs: z.array(cardRun),
  })
  .meta({ id: 'BoardCardDetail' });
export type BoardCardDetail = z.infer<typeof boardCardDetail>;

const tag = 'Board cards';
const cards = '/api/boards/{id}/cards';
const one = `${cards}/{card_id}`;
const cardParams = idParams.extend({ card_id: uuid });
/** The rank among columns or cards; an item moved to a taken rank is inserted before the present one. */
export const boardPosition = z.number().min(-1e9).max(1e9);
const title = storedName(CARD_LIMITS.title);
const content = storedText(CARD_LIMITS.content);
const refusals = ['forbidden', 'not_found'] as const;

export const listBoardCards = endpoint({
  id: 'listBoardCards',
  method: 'GET',
  path: cards,
  tag,
  summary: 'Cards of a board, column by column in their order',
  auth: 'session',
  params: idParams,
  query: z.object({
    column_id: uuid.optional(),
    /** Words in title, content or comments. */
    search: storedText(200).optional(),
    run_status: z.enum(CARD_STATUSES).optional(),
    limit: z.coerce.number().int().min(1).max(500).default(100),
    offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  }),
  response: z.object({ cards: z.array(boardCard), total: z.number().int() }),
  errors: ['not_found'],
});

export const createBoardCard = endpoint({
  id: 'createBoardCard',
  method: 'POST',
  path: cards,
  tag,
  summary: 'Add a card, in the first column and at the end unless specified; no workflow starts',
  auth: 'session',
  params: idParams,
  body: z.object({
    title,
    content: content.default(''),
    column_id: uuid.nullish(),
    position: boardPosition.nullish(),
  }),
  response: boardCard,
  status: 201,
  errors: [...refusals, 'conflict'],
});

export const readBoardCard = endpoint({
  id: 'readBoardCard',
  method: 'GET',
  path: one,
  tag,
  summary: 'A card with its activity, attachments and runs',
  auth: 'session',
  params: cardParams,
  response: boardCardDetail,
  errors: ['not_found'],
});

export const updateBoardCard = endpoint({
  id: 'updateBoardCard',
  method: 'PATCH',
  path: one,
  tag,
  summary: 'Change title or content of a card',
  auth: 'session',
  params: cardParams,
  body: z.object({ title: title.nullish(), content: content.nullish() }),
  response: boardCard,
  errors: refusals,
});

export const deleteBoardCard = endpoint({
  id: 'deleteBoardCard',
  method: 'DELETE',
  path: one,
  tag,
  summary: 'Delete a card and stop what runs on it; it can be restored for 30 days',
  auth: 'session',
  params: cardParams,
  errors: refusals,
});

export const restoreBoardCard = endpoint({
  id: 'restoreBoardCard',
  method: 'POST',
  path: `${one}/restore`,
  tag,
  summary:
    'Bring a deleted card back to its place, or to the end of the first column if its column was deleted',
  auth: 'session',
  params: cardParams,
  response: boardCard,
  errors: [...refusals, 'conflict'],
});

export const moveBoardCard = endpoint({
  id: 'moveBoardCard',
  method: 'POST',
  path: `${one}/move`,
  tag,
  summary: 'Move a card; another column starts its chain of workflows, once for each move',
  auth: 'session',
  params: cardParams,
  body: z.object({ to_column_id: uuid, position: boardPosition.nullish() }),
  response: boardCard,
  errors: refusals,
});

export const runBoardCard = endpoint({
  id: 'runBoardCard',
  method: 'POST',
  path: `${one}/run`,
  tag,
  summary: 'Run the chain of the column again, as a follow-up of a comment when there is one',
  auth: 'session',
  params: cardParams,
  query: z.object({ skip_auto_advance: queryBoolean.optional() }),
  body: z.object({ comment: storedText(CARD_LIMITS.comment).nullish() }).nullish(),
  response: boardCard,
  errors: [...refusals, 'conflict'],
});

export const stopBoardCard = endpoint({
  id: 'stopBoardCard',
  method: 'POST',
  path: `${one}/stop`,
  tag,
  summary: 'Stop the chain of a card and those that are to follow it',
  auth: 'session',
  params: cardParams,
  response: boardCard,
  errors: [...refusals, 'conflict'],
});

export const commentOnBoardCard = endpoint({
  id: 'commentOnBoardCard',
  method: 'POST',
  path: `${one}/comments`,
  tag,
  summary: 'Add a comment in Markdown',
  auth: 'session',
  params: cardParams,
  body: z.object({
    content: storedText(CARD_LIMITS.comment).refine((text) => text.trim() !== '', 'must not be empty'),
  }),
  response: cardActivity,
  status: 201,
  errors: [...refusals, 'conflict'],
});

export const deleteBoardActivity = endpoint({
  id: 'deleteBoardActivity',
  method: 'DELETE',
  path: `${one}/activities/{activity_id}`,
  tag,
  summary: 'Delete a comment, as its author or as the owner of the board',
  auth: 'session',
  params: cardParams.extend({ activity_id: uuid }),
  errors: refusals,
});

export const attachToBoardCard = endpoint({
  id: 'attachToBoardCard',
  method: 'POST',
  path: `${one}/attachments`,
  tag,
  summary: 'Store the form field `file` in the Drive of the owner of the board, attached to the card',
  auth: 'session',
  kind: 'raw',
  upload: 'form',
  params: cardParams,
  errors: [...refusals, 'bad_request', 'conflict', 'too_large', 'unsupported_media_type'],
});

const attachmentParams = cardParams.extend({ attachment_id: uuid });

export const downloadBoardAttachment = endpoint({
  id: 'downloadBoardAttachment',
  method: 'GET',
  path: `${one}/attachments/{attachment_id}`,
  tag,
  summary: 'The content of an attachment',
  auth: 'session',
  kind: 'raw',
  params: attachmentParams,
  errors: ['range_not_satisfiable', 'not_found'],
});

export const deleteBoardAttachment = endpoint({
  id: 'deleteBoardAttachment',
  method: 'DELETE',
  path: `${one}/attachments/{attachment_id}`,
  tag,
  summary: 'Remove an attachment; its file stays in the Drive of the owner of the board',
  auth: 'session',
  params: attachmentParams,
  errors: refusals,
});

export const boardCardEndpoints = [
  listBoardCards,
  createBoardCard,
  readBoardCard,
  updateBoardCard,
  deleteBoardCard,
  restoreBoardCard,
  moveBoardCard,
  runBoardCard,
  stopBoardCard,
  commentOnBoardCard,
  deleteBoardActivity,
  attachToBoardCard,
  downloadBoardAttachment,
  deleteBoardAttachment,
];
