import { createStatements } from '../kit/database/sql.ts';

/** https://dev.mysql.com/doc/refman/8.4/en/identifiers.html */
export const { identifier, selectFrom, updateTable, deleteFrom, insertInto } = createStatements({
  quote: '`',
  placeholder: () => '?',
  within: (column, values, bind) =>
    // An empty list in parentheses is no SQL.
    values.length === 0 ? '1 = 0' : `${column} IN (${values.map(bind).join(', ')})`,
  comparisons: {},
  returning: '',
  // The form with VALUES() is the one that both MySQL and MariaDB understand.
  onConflict: (columns) =>
    ` ON DUPLICATE KEY UPDATE ${columns.map((column) => `${column} = VALUES(${column})`).join(', ')}`,
});
