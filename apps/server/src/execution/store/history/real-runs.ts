/**
 * SQL condition: the run `r` is neither a test run nor a run of a draft. A subquery that is no join: of a join with few drafts
 * PostgreSQL expects no rows, and then reads and sorts every run instead of the newest ones.
 */
export const IS_REAL = `(r.options IS NULL OR r.options NOT LIKE '%"test_run":true%')
  AND (SELECT d.id FROM workflow_drafts d WHERE d.id = r.version_id) IS NULL`;
