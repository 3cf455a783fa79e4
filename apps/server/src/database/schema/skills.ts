import { index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { belongsTo, createdAt, jsonText, primaryId, updatedAt } from '../columns.ts';
import { userId, users } from './accounts.ts';
import { shareIndexes, withTeam, withUser } from './share-columns.ts';
import { workflowId } from './workflows.ts';

export const skills = pgTable(
  'skills',
  {
    id: primaryId(),
    owner_id: userId('owner_id'),
    name: text('name').notNull(),
    /** Number of the newest version, which has everything else. */
    version: integer('version').notNull(),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [uniqueIndex('skills_name').on(t.owner_id, t.name)],
);

const skillId = () => belongsTo('skill_id', () => skills.id);

/** One row per saved state, the newest one included; a row never changes. */
export const skillVersions = pgTable(
  'skill_versions',
  {
    skill_id: skillId(),
    number: integer('number').notNull(),
    name: text('name').notNull(),
    /** As the front matter of SKILL.md has it. */
    description: text('description').notNull(),
    /** The text of SKILL.md. */
    content: text('content').notNull(),
    /** List of `{path, content, encoding}`. */
    files: jsonText('files').notNull(),
    timeout_seconds: integer('timeout_seconds').notNull(),
    file_count: integer('file_count').notNull(),
    size_bytes: integer('size_bytes').notNull(),
    created_by_id: uuid('created_by_id').references(() => users.id, { onDelete: 'set null' }),
    created_at: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.skill_id, t.number] })],
);

/** Which agents use which skills, for the answer to what a deletion would break; of published graphs and drafts. */
export const skillReferences = pgTable(
  'skill_references',
  {
    workflow_id: workflowId(),
    node_id: text('node_id').notNull(),
    /** May be an id that exists no more, so it is no foreign key. */
    skill_id: uuid('skill_id').notNull(),
    /** The fixed version; 0 for the newest one. */
    version: integer('version').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workflow_id, t.node_id, t.skill_id, t.version] }),
    index('skill_references_skill').on(t.skill_id),
  ],
);

export const skillShares = pgTable(
  'skill_shares',
  { id: primaryId(), skill_id: skillId(), ...withUser() },
  (t) => shareIndexes('skill_shares', t.skill_id, { user: t.user_id }),
);

export const skillTeamShares = pgTable(
  'skill_team_shares',
  { id: primaryId(), skill_id: skillId(), ...withTeam() },
  (t) => shareIndexes('skill_team_shares', t.skill_id, { team: t.team_id }),
);
