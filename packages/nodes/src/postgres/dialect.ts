import { createStatements } from '../kit/database/sql.ts';

/** https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS */
export const { identifier, selectFrom, updateTable, deleteFrom, insertInto } = createStatements({
  quote: '"',
  placeholder: (place) => `$${place}`,
  within: (column, values, bind) => `${column} = ANY(${bind([...values])})`,
  comparisons: { ilike: 'ILIKE' },
  returning: ' RETURNING *',
  onConflict(columns, match) {
    const changed = columns.filter((column) => !match.includes(column));
    const set = changed.map((column) => `${column} = EXCLUDED.${column}`).join(', ');
    return ` ON CONFLICT (${match.join(', ')}) DO ${changed.length === 0 ? 'NOTHING' : `UPDATE SET ${set}`}`;
  },
});
