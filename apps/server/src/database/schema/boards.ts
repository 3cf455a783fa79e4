import type { BoardColor, CardActivityKind, CardStatus } from '@millrace/contracts';
import { sql } from 'drizzle-orm';
import {
  boolean,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { belongsTo, createdAt, instant, primaryId, updatedAt } from '../columns.ts';
import { userId, users } from './accounts.ts';
import { shareIndexes, withTeam, withUser } from './share-columns.ts';
import { credentials, files } from './sharing.ts';
import { workflows } from './workflows.ts';

/** Every change of a board, its columns, cards and chains holds the lock of its row and raises its revision. */
export const boards = pgTable(
  'boards',
  {
    id: primaryId(),
    owner_id: userId('owner_id'),
    name: text('name').notNull(),
    description: text('description'),
    mapper_model: text('mapper_model'),
    mapper_credential_id: uuid('mapper_credential_id').references(() => credentials.id, {
      onDelete: 'set null',
    }),
    revision: integer('revision').notNull().default(1),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [index('boards_owner').on(t.owner_id, t.name)],
);

const boardId = () => belongsTo('board_id', () => boards.id);

export const boardColumns = pgTable(
  'board_columns',
  {
    id: primaryId(),
    board_id: boardId(),
    name: text('name').notNull(),
    /** Fractional rank. */
    position: doublePrecision('position').notNull(),
    color: text('color').$type<BoardColor>().notNull().default('gray'),
    ai_instructions: text('ai_instructions').notNull().default(''),
    auto_advance: boolean('auto_advance').notNull().default(false),
    created_at: createdAt(),
  },
  (t) => [index('board_columns_order').on(t.board_id, t.position)],
);

/** The chain of a column; the same workflow may be in it twice. */
export const boardColumnWorkflows = pgTable(
  'board_column_workflows',
  {
    column_id: belongsTo('column_id', () => boardColumns.id),
    position: integer('position').notNull(),
    workflow_id: belongsTo('workflow_id', () => workflows.id),
  },
  (t) => [
    primaryKey({ columns: [t.column_id, t.position] }),
    index('board_column_workflows_workflow').on(t.workflow_id),
  ],
);

export const boardCards = pgTable(
  'board_cards',
  {
    id: primaryId(),
    board_id: boardId(),
    /** Null for deleted cards whose column was deleted, too; all others have one. */
    column_id: uuid('column_id').references(() => boardColumns.id, { onDelete: 'set null' }),
    title: text('title').notNull(),
    content: text('content').notNull(),
    /** Fractional rank; no two cards of a column have the same. */
    position: doublePrecision('position').notNull(),
    run_status: text('run_status').$type<CardStatus>().notNull().default('idle'),
    created_by: uuid('created_by').references(() => users.id, { onDelete: 'set null' }),
    created_at: createdAt(),
    updated_at: updatedAt(),
    /** It can be restored until the daily job removes it. */
    deleted_at: instant('deleted_at'),
  },
  (t) => [
    index('board_cards_order').on(t.board_id, t.column_id, t.position).where(sql`${t.deleted_at} is null`),
    index('board_cards_deleted').on(t.deleted_at).where(sql`${t.deleted_at} is not null`),
  ],
);

const cardId = () => belongsTo('card_id', () => boardCards.id);

/** Comments, and what happened to a card. Ids sort by time. */
export const boardActivities = pgTable(
  'board_activities',
  {
    id: uuid('id').primaryKey(),
    card_id: cardId(),
    kind: text('kind').$type<CardActivityKind>().notNull(),
    actor_id: uuid('actor_id').references(() => users.id, { onDelete: 'set null' }),
    content: text('content').notNull(),
    created_at: createdAt(),
  },
  (t) => [index('board_activities_card').on(t.card_id, t.id)],
);

export const boardAttachments = pgTable(
  'board_attachments',
  {
    id: primaryId(),
    card_id: cardId(),
    file_id: belongsTo('file_id', () => files.id),
    created_at: createdAt(),
  },
  (t) => [
    uniqueIndex('board_attachments_pair').on(t.card_id, t.file_id),
    index('board_attachments_file').on(t.file_id),
  ],
);

/**
 * One start of a chain on a card, stored in the transaction of its cause: a move, or a request of a person. Any process
 * carries it out; the rounds of one card one after the other, by their number.
 */
export const boardRounds = pgTable(
  'board_rounds',
  {
    id: uuid('id').primaryKey(),
    board_id: boardId(),
    card_id: cardId(),
    number: integer('number').notNull(),
    /** Not a reference: a column may go when its cards have left it. */
    column_id: uuid('column_id').notNull(),
    column_name: text('column_name').notNull(),
    /** Instructions of a follow-up. */
    comment: text('comment'),
    skip_auto_advance: boolean('skip_auto_advance').notNull().default(false),
    state: text('state').$type<'open' | 'done' | 'failed' | 'stopped'>().notNull().default('open'),
    stop_requested: boolean('stop_requested').notNull().default(false),
    /** When a process looks at it next; while one does, when another one takes over. */
    next_look_at: instant('next_look_at').notNull().defaultNow(),
    /** Of the present claim; each claim has a new one. */
    claim_id: uuid('claim_id'),
    /** Unexpected failures in a row; at some number of them the round is given up. */
    failures: integer('failures').notNull().default(0),
    started_by: uuid('started_by').references(() => users.id, { onDelete: 'set null' }),
    created_at: createdAt(),
    finished_at: instant('finished_at'),
  },
  (t) => [
    uniqueIndex('board_rounds_number').on(t.card_id, t.number),
    index('board_rounds_open').on(t.next_look_at).where(sql`${t.state} = 'open'`),
    index('board_rounds_board').on(t.board_id),
    index('board_rounds_finished').on(t.finished_at).where(sql`${t.finished_at} is not null`),
  ],
);

/** The workflows of a round, as the chain was when the round was requested. */
export const boardCardRuns = pgTable(
  'board_card_runs',
  {
    id: primaryId(),
    round_id: belongsTo('round_id', () => boardRounds.id),
    chain_position: integer('chain_position').notNull(),
    chain_length: integer('chain_length').notNull(),
    /** Not a reference: it is still shown after the workflow was deleted. */
    workflow_id: uuid('workflow_id').notNull(),
    workflow_name: text('workflow_name').notNull(),
    status: text('status')
      .$type<'pending' | 'running' | 'waiting_review' | 'success' | 'error' | 'cancelled'>()
      .notNull()
      .default('pending'),
    /** Set in the transaction that stores the run; null again when the run was deleted. */
    run_id: uuid('run_id'),
    /** JSON; null while there is none, and where it is too long. */
    output: text('output'),
    output_is_cut: boolean('output_is_cut').notNull().default(false),
    error: text('error'),
    started_at: instant('started_at'),
    finished_at: instant('finished_at'),
  },
  (t) => [
    uniqueIndex('board_card_runs_place').on(t.round_id, t.chain_position),
    index('board_card_runs_run').on(t.run_id),
  ],
);

const permission = () => text('permission').$type<'read' | 'write'>().notNull().default('read');

export const boardShares = pgTable(
  'board_shares',
  { id: primaryId(), board_id: boardId(), ...withUser(), permission: permission() },
  (t) => shareIndexes('board_shares', t.board_id, { user: t.user_id }),
);

export const boardTeamShares = pgTable(
  'board_team_shares',
  { id: primaryId(), board_id: boardId(), ...withTeam(), permission: permission() },
  (t) => shareIndexes('board_team_shares', t.board_id, { team: t.team_id }),
);
