import type { JsonObject } from '@millrace/engine';

/** Characters that stored JSON may have and PostgreSQL takes in no JSON of its own: NUL, and halves of surrogate pairs. */
const UNREADABLE = String.raw`'\\u(0000|d[89a-f][0-9a-f]{2})'`;
const READABLE = String.raw`regexp_replace(r.options, ${UNREADABLE}, '\\ufffd', 'gi')::jsonb`;

/**
 * SQL condition: the run `r` has the option, set to true. Few runs have its name in the text at all, so that is looked for first;
 * it may also be the name of a variable within another option.
 */
export const hasOption = (name: string): string =>
  `CASE WHEN r.options LIKE '%"${name}":true%' THEN ${READABLE} @> '{"${name}":true}' ELSE false END`;

/** SQL text: the option of the run `r`; null where it has none. */
export const buildOptionSql = (name: string): string =>
  `CASE WHEN r.options LIKE '%"${name}"%' THEN ${READABLE} ->> '${name}' END`;

/** Whether a stored run was a test run, by its options. */
export const wasTestRun = (options: JsonObject): boolean => options['test_run'] === true;

/** The same for trials. Runs of drafts that were stored before there was a mark for them are known by their version only. */
export const wasTrial = (options: JsonObject): boolean => wasTestRun(options) || options['of_draft'] === true;
