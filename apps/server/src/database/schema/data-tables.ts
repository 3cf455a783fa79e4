import {
  customType,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { belongsTo, createdAt, jsonText, primaryId, updatedAt } from '../columns.ts';
import { userId } from './accounts.ts';
import { shareIndexes, withTeam, withUser } from './share-columns.ts';

/** Cells by the key of their column. The index over them needs `jsonb`; what it would change is kept as text inside. */
const cells = customType<{ data: Record<string, unknown>; driverData: string }>({
  dataType: () => 'jsonb',
  toDriver: (value) => JSON.stringify(value),
});

export const dataTables = pgTable(
  'data_tables',
  {
    id: primaryId(),
    owner_id: userId('owner_id'),
    name: text('name').notNull(),
    description: text('description'),
    /** List of columns in their order. */
    columns: jsonText('columns').notNull(),
    /** Kept with every change of rows, which hold this row's lock. */
    row_count: integer('row_count').notNull().default(0),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [uniqueIndex('data_tables_name').on(t.owner_id, t.name)],
);

/** Ids sort by time, so they are the order and the paging key of the rows. */
export const dataTableRows = pgTable(
  'data_table_rows',
  {
    table_id: belongsTo('table_id', () => dataTables.id),
    id: uuid('id').notNull(),
    data: cells('data').notNull(),
    /** No references: each row written would be checked against its author, and each account removed against all rows. */
    created_by: uuid('created_by'),
    updated_by: uuid('updated_by'),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.table_id, t.id] }),
    // Without the list of pending entries, which every search would read from end to end.
    index('data_table_rows_data').using('gin', t.data.op('jsonb_path_ops')).with({ fastupdate: false }),
  ],
);

/** A hash of each cell of a unique column. */
export const dataTableKeys = pgTable(
  'data_table_keys',
  {
    column_id: uuid('column_id').notNull(),
    key: text('key').notNull(),
    table_id: uuid('table_id').notNull(),
    row_id: uuid('row_id').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.column_id, t.key] }),
    index('data_table_keys_row').on(t.table_id, t.row_id),
    foreignKey({
      name: 'data_table_keys_row_fk',
      columns: [t.table_id, t.row_id],
      foreignColumns: [dataTableRows.table_id, dataTableRows.id],
    }).onDelete('cascade'),
  ],
);

/** Writes of a run, by the key of the node in its round, so that a repetition finds them. */
export const dataTableWrites = pgTable(
  'data_table_writes',
  {
    key: text('key').primaryKey(),
    table_id: belongsTo('table_id', () => dataTables.id),
    result: jsonText('result').notNull(),
    created_at: createdAt(),
  },
  (t) => [index('data_table_writes_age').on(t.created_at), index('data_table_writes_table').on(t.table_id)],
);

const permission = () => text('permission').$type<'read' | 'write'>().notNull().default('read');

export const dataTableShares = pgTable(
  'data_table_shares',
  {
    id: primaryId(),
    data_table_id: belongsTo('data_table_id', () => dataTables.id),
    ...withUser(),
    permission: permission(),
  },
  (t) => shareIndexes('data_table_shares', t.data_table_id, { user: t.user_id }),
);

export const dataTableTeamShares = pgTable(
  'data_table_team_shares',
  {
    id: primaryId(),
    data_table_id: belongsTo('data_table_id', () => dataTables.id),
    ...withTeam(),
    permission: permission(),
  },
  (t) => shareIndexes('data_table_team_shares', t.data_table_id, { team: t.team_id }),
);
