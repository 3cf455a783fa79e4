import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { belongsTo, createdAt, instant, primaryId, updatedAt } from '../columns.ts';

export const users = pgTable(
  'users',
  {
    id: primaryId(),
    /** Lower case; the address as typed is not kept. */
    email: text('email').notNull(),
    password_hash: text('password_hash').notNull(),
    name: text('name').notNull(),
    user_rules: text('user_rules'),
    /** US dollars that calls of models in this person's name may cost in one day; null: no budget. */
    daily_budget_usd: doublePrecision('daily_budget_usd'),
    is_admin: boolean('is_admin').notNull().default(false),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [uniqueIndex('users_email').on(t.email)],
);

/** Column for an account; its rows go with the account. */
export const userId = (name: 'user_id' | 'owner_id' | 'author_id' | 'creator_id') =>
  belongsTo(name, () => users.id);

/** A signed-in browser or client; every refresh token descends from one session. */
export const sessions = pgTable(
  'sessions',
  {
    id: primaryId(),
    user_id: userId('user_id'),
    user_agent: text('user_agent'),
    client_ip: text('client_ip'),
    created_at: createdAt(),
    last_used_at: instant('last_used_at').notNull().defaultNow(),
    ended_at: instant('ended_at'),
  },
  (t) => [index('sessions_user').on(t.user_id)],
);

/** Only the SHA-256 of a refresh token is stored. */
export const refreshTokens = pgTable(
  'refresh_tokens',
  {
    token_hash: text('token_hash').primaryKey(),
    session_id: belongsTo('session_id', () => sessions.id),
    user_id: userId('user_id'),
    expires_at: instant('expires_at').notNull(),
    used_at: instant('used_at'),
    created_at: createdAt(),
  },
  (t) => [index('refresh_tokens_session').on(t.session_id)],
);

export const teams = pgTable('teams', {
  id: primaryId(),
  name: text('name').notNull(),
  description: text('description'),
  creator_id: userId('creator_id'),
  created_at: createdAt(),
  updated_at: updatedAt(),
});

/** Column for a team; its rows go with the team. */
export const teamId = () => belongsTo('team_id', () => teams.id);

export const teamMembers = pgTable(
  'team_members',
  {
    team_id: teamId(),
    user_id: userId('user_id'),
    added_by_id: uuid('added_by_id').references(() => users.id, { onDelete: 'set null' }),
    joined_at: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.team_id, t.user_id] }), index('team_members_user').on(t.user_id)],
);

/** Who did what to which object, also what was refused. */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: uuid('id').primaryKey(),
    at: instant('at').notNull().defaultNow(),
    actor_id: uuid('actor_id'),
    actor_email: text('actor_email'),
    action: text('action').notNull(),
    object_kind: text('object_kind').notNull(),
    object_id: text('object_id'),
    object_name: text('object_name'),
    /** Who may read the entry besides the actor: the owner of the object. */
    owner_id: uuid('owner_id'),
    outcome: text('outcome').notNull().default('done'),
    details: text('details'),
    client_ip: text('client_ip'),
    request_id: text('request_id'),
  },
  (t) => [
    index('audit_owner').on(t.owner_id, t.id),
    index('audit_actor').on(t.actor_id, t.id),
    index('audit_object').on(t.object_id, t.id),
  ],
);

/** Names of work that must happen once per slot, however many processes there are (daily jobs). */
export const jobSlots = pgTable(
  'job_slots',
  {
    job: text('job').notNull(),
    slot: text('slot').notNull(),
    claimed_at: createdAt(),
    attempts: integer('attempts').notNull().default(1),
    /** Set when the work is done; a slot that stays open after a crash is claimed again. */
    finished_at: instant('finished_at'),
  },
  (t) => [primaryKey({ columns: [t.job, t.slot] })],
);

/** One row: how many changes there have been to what processes keep in memory (`ports/coordination/change-clock.ts`). */
export const changeClock = pgTable('change_clock', {
  id: smallint('id').primaryKey(),
  count: bigint('count', { mode: 'number' }).notNull().default(0),
});
