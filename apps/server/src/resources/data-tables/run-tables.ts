import { DAY_MS } from '@millrace/engine/units';
import type { DataTableRecord, DataTables, DataTableWritten } from '@millrace/nodes/runtime';
import { eq } from 'drizzle-orm';
import { notFound } from '../../core/app-error.ts';
import { isUuid } from '../../core/ids.ts';
import type { Database, Db } from '../../database/database.ts';
import { deleteInSlices } from '../../database/delete-in-slices.ts';
import { dataTableWrites } from '../../database/schema/index.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import type { RunTables } from '../../ports/run/run-tables.ts';
import * as read from './rows/read.ts';
import * as write from './rows/write.ts';

type Change = Parameters<DataTables['write']>[1];

const toRecord = ({ id, data, created_at }: Awaited<ReturnType<typeof read.readRow>>): DataTableRecord => ({
  id,
  data,
  created_at,
});

function requireTableId(id: string): void {
  if (!isUuid(id)) throw notFound('Data table');
}

async function make(table: write.OpenTable, change: Change): Promise<DataTableWritten> {
  const { operation } = change;
  switch (operation) {
    case 'insert': {
      const row = await write.insertOne(table, change.data);
      return { operation, id: row.id, row: toRecord(row) };
    }
    case 'update': {
      if (!isUuid(change.row_id)) throw notFound('Row');
      const row = await write.updateOne(table, { id: change.row_id, data: change.data });
      return { operation, id: row.id, row: toRecord(row) };
    }
    case 'remove': {
      const gone = isUuid(change.row_id) ? await write.deleteMany(table, [change.row_id]) : 0;
      if (gone === 0) throw notFound('Row');
      return { operation, id: change.row_id, row: null };
    }
    case 'upsert': {
      const { operation: done, row } = await write.upsertOne(table, change);
      return { operation: done, id: row.id, row: toRecord(row) };
    }
    default:
      return operation satisfies never;
  }
}

/** Rows of a page of a run; a node reads page by page, so that no statement takes long. */
const PAGE = 2_000;

/** Data tables as runs read and write them, with the rights of the person that the run is attributed to. */
export function createRunTables({ database, now }: { database: Database; now: () => number }): RunTables {
  const { db } = database;
  return {
    of(user_id): DataTables {
      const ctx = { db, now, actor: { user_id } };
      return {
        async find(table_id, { filter, sort, limit }) {
          requireTableId(table_id);
          const rows: DataTableRecord[] = [];
          for (let cursor: string | null = ''; cursor !== null && rows.length < limit; ) {
            const size = Math.min(PAGE, limit - rows.length);
            const page = await read.loadPage(ctx, table_id, { filter, sort, limit: size, cursor });
            for (const row of page.rows) rows.push(toRecord(row));
            cursor = page.next_cursor;
          }
          return rows;
        },
        async count(table_id, filter) {
          requireTableId(table_id);
          return read.countRows(ctx, table_id, filter);
        },
        async read(table_id, row_id) {
          requireTableId(table_id);
          if (!isUuid(row_id)) return null;
          const row = await read.findRow(ctx, table_id, row_id);
          return row ? toRecord(row) : null;
        },
        async write(table_id, change, key) {
          requireTableId(table_id);
          return write.writing(ctx, table_id, async (table) => {
            const former = await writtenBefore(table.db, key);
            if (former) return former;
            const written = await make(table, change);
            const row = { key, table_id, result: written, created_at: new Date(now()) };
            await table.db.insert(dataTableWrites).values(row);
            return written;
          });
        },
      };
    },
  };
}

/** Guarantee: the column holds what `write` above has stored. */
async function writtenBefore(db: Db, key: string): Promise<DataTableWritten | undefined> {
  const [row] = await db.select().from(dataTableWrites).where(eq(dataTableWrites.key, key));
  return row?.result as DataTableWritten | undefined;
}

/** A run that was interrupted continues within minutes; a month covers an installation that stood still. */
const KEPT_MS = 30 * DAY_MS;

/** Forgets the keys of old writes. Resolves to how many there were. */
export const purgeWrites = (sql: SqlClient, now_ms: number): Promise<number> =>
  deleteInSlices(
    sql,
    `DELETE FROM data_table_writes WHERE key IN
      (SELECT key FROM data_table_writes WHERE created_at < to_timestamp($1::float8 / 1000) LIMIT $2)`,
    [now_ms - KEPT_MS],
  );
