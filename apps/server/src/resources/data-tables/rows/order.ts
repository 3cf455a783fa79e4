import { printValue } from '@millrace/engine';
import { type SQL, sql } from 'drizzle-orm';
import { isUuid } from '../../../core/ids.ts';
import { dataTableRows as rows } from '../../../database/schema/index.ts';

/** A row as it is stored. */
export type RowRecord = typeof rows.$inferSelect;

import type { StoredColumn } from './cells.ts';
import { fromStored, stored } from './cells.ts';
import { operand, QueryError, resolveTerm, type Term } from './filter.ts';

interface Direction {
  readonly term: Term;
  readonly descending: boolean;
}

/** An order in which no two rows are equal, so that reading can continue behind any row. Empty cells come last. */
export interface Order {
  readonly by: SQL;
  /** The place of a row, as text for callers. */
  toCursor(row: RowRecord): string;
  /** The rows behind such a place. Throws `QueryError`. */
  after(cursor: string): SQL;
}

const MOST_TERMS = 5;

function parseDirections(columns: readonly StoredColumn[], sort: string): Direction[] {
  const names = sort
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length > MOST_TERMS) throw new QueryError(`names more than ${MOST_TERMS} columns`);
  return names.map((name) => {
    const isColumn = columns.some((column) => column.name === name);
    const descending = name.startsWith('-') && !isColumn;
    return { term: resolveTerm(columns, descending ? name.slice(1).trim() : name), descending };
  });
}

/** The row's value for the term, as text or null; the parameter is cast to the type of the term. */
function readSortValue({ column, name }: Term, row: RowRecord): string | null {
  if (column) {
    const cell = fromStored(row.data[column.key], column.type);
    if (cell === null) return null;
    const value = stored(cell, column.type);
    return printValue(value);
  }
  const value = row[name as 'id' | 'table_id' | 'created_by' | 'updated_by' | 'created_at' | 'updated_at'];
  return value instanceof Date ? value.toISOString() : value;
}

/** Throws `QueryError` for a place that the term cannot have. */
const param = (term: Term, place: string): SQL =>
  term.type === 'json' ? sql`${place}::text` : operand(term, place);

function behind({ term, descending }: Direction, place: SQL | null): SQL {
  if (place === null) return sql`false`;
  const further = descending ? sql`${term.value} < ${place}` : sql`${term.value} > ${place}`;
  return sql`(${further} OR ${term.value} IS NULL)`;
}

const same = ({ term }: Direction, place: SQL | null): SQL =>
  place === null ? sql`${term.value} IS NULL` : sql`${term.value} = ${place}`;

/** The places of a row in these directions, as parameters, and its id. Throws `QueryError`. */
function readCursor(
  cursor: string,
  directions: readonly Direction[],
): { places: readonly (SQL | null)[]; id: string } {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const texts: unknown[] = Array.isArray(read) ? read : [];
    const id = texts.pop();
    const isPlace = (place: unknown): place is string | null => place === null || typeof place === 'string';
    if (texts.length === directions.length && texts.every(isPlace) && typeof id === 'string' && isUuid(id)) {
      const places = directions.map(({ term }, at) => {
        const place = texts[at] ?? null;
        return place === null ? null : param(term, place);
      });
      return { places, id };
    }
  } catch (error) {
    // A column can have got another type after the page was read.
    if (!(error instanceof SyntaxError || error instanceof QueryError)) throw error;
  }
  throw new QueryError('has a cursor that belongs to no page of this order');
}

/** @param sort names of columns, each with `-` for descending; empty for newest first. Throws `QueryError`. */
export function parseOrder(columns: readonly StoredColumn[], sort: string): Order {
  const directions = parseDirections(columns, sort);
  const last = directions.at(-1);
  const isByTime = last && !last.term.column && last.term.name === 'created_at';
  // Ids sort by the time of creation, and they have an index.
  if (isByTime) directions.pop();
  const idDescending = last?.descending ?? true;
  const parts = directions.map(({ term, descending }) =>
    descending ? sql`${term.value} DESC NULLS LAST` : sql`${term.value} ASC NULLS LAST`,
  );
  parts.push(idDescending ? sql`${rows.id} DESC` : sql`${rows.id} ASC`);
  return {
    by: sql.join(parts, sql`, `),
    toCursor: (row) =>
      Buffer.from(
        JSON.stringify([...directions.map(({ term }) => readSortValue(term, row)), row.id]),
      ).toString('base64url'),
    after(cursor) {
      const { places, id } = readCursor(cursor, directions);
      const equal = (count: number) =>
        directions.slice(0, count).map((direction, at) => same(direction, places[at] ?? null));
      const steps = directions.map((direction, at) =>
        sql.join([...equal(at), behind(direction, places[at] ?? null)], sql` AND `),
      );
      const next = idDescending ? sql`${rows.id} < ${id}::uuid` : sql`${rows.id} > ${id}::uuid`;
      steps.push(sql.join([...equal(directions.length), next], sql` AND `));
      return sql`(${sql.join(
        steps.map((step) => sql`(${step})`),
        sql` OR `,
      )})`;
    },
  };
}
