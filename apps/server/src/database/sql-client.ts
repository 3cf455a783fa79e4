/** A statement with `$1` parameters; `name` makes it a prepared statement where the driver has them. */
export interface Statement {
  name?: string;
  text: string;
  values?: unknown[];
}

export interface SqlResult<Row> {
  rows: Row[];
  row_count: number;
}

/**
 * Plain SQL beside the query builder, for the statements that carry correctness or speed: journal, ownership, history.
 * One dialect, PostgreSQL 15; two drivers.
 */
export interface SqlClient {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<SqlResult<Row>>;
}

export interface TransactionalSql extends SqlClient {
  /** Commits what `work` wrote through its client, or nothing when it rejects. Not repeated. */
  transaction<T>(work: (tx: SqlClient) => Promise<T>): Promise<T>;
}
