import { sql } from 'drizzle-orm';
import { boolean, check, pgTable, uuid } from 'drizzle-orm/pg-core';

/** A single row that identifies this installation where several share something, such as a container engine. */
export const installation = pgTable(
  'installation',
  {
    is_only: boolean('is_only').primaryKey().default(true),
    id: uuid('id').notNull(),
  },
  (t) => [check('installation_is_only', sql`${t.is_only}`)],
);
