import { hasOption } from '../encoding/run-options.ts';

/**
 * SQL condition: the run `r` is of a draft. The mark of `trialOptions` outlives the draft; runs that were stored before there
 * was one have the draft only.
 */
export const IS_OF_DRAFT = `(${hasOption('of_draft')} OR EXISTS (SELECT 1 FROM workflow_drafts d WHERE d.id = r.version_id))`;

/**
 * SQL condition: the run `r` is no trial, which means neither a test run nor a run of a draft. One expression with a subquery that
 * is no join: of a join with few drafts, or of one condition after another, PostgreSQL expects next to no rows, and then reads and
 * sorts every run instead of the newest ones.
 */
export const IS_REAL = `CASE WHEN ${hasOption('test_run')} OR ${hasOption('of_draft')} THEN false
  ELSE (SELECT d.id FROM workflow_drafts d WHERE d.id = r.version_id) IS NULL END`;
