import { BLOB_COLUMNS } from '../tables.ts';
import { insertSql } from './columns.ts';

interface StoredWith {
  /** The rows of `BLOB_COLUMNS` in the statement. */
  readonly rows: string;
  /** A part of the statement with one `id`, that of the run that needs the values, or with no row. */
  readonly of: string;
}

/** Parts `b` and `c` of a statement outside of the journal: values that are kept apart, and the run that needs them. */
export const storeBlobs = ({ rows, of }: StoredWith): string => `b AS (
  ${insertSql({
    into: 'blobs',
    columns: BLOB_COLUMNS,
    also: { size: 'length(x.content)' },
    from: `${rows} ORDER BY x.hash`,
  })}
  ON CONFLICT (hash) DO UPDATE SET created_at = now()),
c AS (
  INSERT INTO run_blobs (run_id, hash)
  SELECT needs.id, x.hash FROM ${of} needs, ${rows}
  ON CONFLICT DO NOTHING)`;
