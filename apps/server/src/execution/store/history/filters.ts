import type { HistoryFilters } from '@millrace/contracts';
import { likePattern } from '../../../database/like-pattern.ts';
import { TRIGGER_SOURCES } from '../../model/trigger-source.ts';
import { CALLED_BY } from '../encoding/lineage.ts';
import { hasNotEnded } from '../run-state.ts';

/**
 * Rows beyond this many newest ones are not looked through for what no index finds, which is text and what most runs have in
 * common: reading them all would take the database down.
 */
export const SEARCH_WINDOW = 20_000;
/** Totals are exact up to here. */
export const TOTAL_CAP = 10_000;

/** A piece of SQL with its values; values are numbered when pieces are joined. */
export interface Condition {
  /** `?` stands for the next value. */
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface WhereClause {
  readonly text: string;
  readonly values: unknown[];
}

/** Least id of a run that began at or after the instant: run ids begin with their time (RFC 9562 section 5.7). */
export function firstIdAt(epoch_ms: number): string {
  const time = Math.max(0, Math.trunc(epoch_ms)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/**
 * An id never bears an earlier time than its run, but a later one after the clock was set back. Every run that began within
 * this time behind the end of a period is read to look for those, and there may be thousands of them in a second.
 */
export const AHEAD_MS = 1_000;

const { api } = TRIGGER_SOURCES;
/** Nearly all runs end so, and come from there; an index of them would be paid for by every run. */
const isCommonStatus = (status: HistoryFilters['status']): boolean => status === 'success';
const isCommonSource = (source: HistoryFilters['trigger_source']): boolean => source === api;

/** Conditions that narrow by columns without an index. */
function commonConditions({ status, trigger_source, trigger_node_id }: HistoryFilters): Condition[] {
  return [
    ...(trigger_node_id === undefined ? [] : [{ text: 'r.trigger_node_id = ?', values: [trigger_node_id] }]),
    ...(isCommonStatus(status) ? [{ text: `r.status = '${status}'`, values: [] }] : []),
    ...(isCommonSource(trigger_source) ? [{ text: `r.trigger_source = '${api}'`, values: [] }] : []),
  ];
}

/** Everything that narrows by columns with an index; the id bounds make time filters walk the index instead of the table. */
function columnConditions(filters: HistoryFilters): Condition[] {
  const conditions: Condition[] = [];
  if (filters.before) conditions.push({ text: 'r.id < ?', values: [filters.before] });
  if (filters.from) {
    const from = Date.parse(filters.from);
    conditions.push({ text: 'r.id >= ?', values: [firstIdAt(from)] });
    conditions.push({ text: 'r.started_at >= ?', values: [new Date(from)] });
  }
  if (filters.to) {
    const to = Date.parse(filters.to);
    conditions.push({ text: 'r.id < ?', values: [firstIdAt(to + AHEAD_MS)] });
    conditions.push({ text: 'r.started_at <= ?', values: [new Date(to)] });
  }
  if (filters.has_unresolved_references === true)
    conditions.push({ text: 'r.unresolved_references > 0', values: [] });
  if (filters.replay_of) conditions.push({ text: 'r.replay_of = ?', values: [filters.replay_of] });
  if (filters.called_by) {
    const id = filters.called_by.toLowerCase();
    conditions.push({ text: `r.id = ANY (ARRAY(${CALLED_BY}))`, values: [id, id] });
  }
  // Literals from closed lists, so that the planner can match partial indexes.
  if (filters.status && !isCommonStatus(filters.status))
    conditions.push({ text: `r.status = '${filters.status}'`, values: [] });
  if (filters.status === 'running') conditions.push({ text: hasNotEnded('r.state'), values: [] });
  if (filters.trigger_source && !isCommonSource(filters.trigger_source)) {
    conditions.push({ text: 'r.trigger_source = ?', values: [filters.trigger_source] });
    conditions.push({ text: `r.trigger_source <> '${api}'`, values: [] });
  }
  return conditions;
}

function searchCondition(search: string): Condition {
  const pattern = likePattern(search);
  const columns = ['w.name', 'r.status', 'r.trigger_source', 'r.input', 'r.outputs', 'r.records'];
  const matches = columns.map((column) => `${column} ILIKE ?`).join(' OR ');
  const steps = 'EXISTS (SELECT 1 FROM steps s WHERE s.run_id = r.id AND s.record ILIKE ?)';
  return { text: `(${matches} OR ${steps})`, values: [...columns.map(() => pattern), pattern] };
}

/**
 * The text of a field within stored JSON, as JSON escapes it. The stored text may hold characters that the database takes in
 * no JSON of its own. No text of a user can look like the key: quotes within it are escaped.
 */
export const jsonText = (column: string, key: string): string =>
  String.raw`substring(${column} from '"${key}":"(([^"\\]|\\.)*)"')`;

/** That the text is part of such a field, in any case. */
export const jsonTextSearch = (column: string, key: string, search: string): Condition => ({
  text: `${jsonText(column, key)} ILIKE ?`,
  values: [likePattern(JSON.stringify(search).slice(1, -1))],
});

/** @param first number of the first parameter */
export function joinConditions(conditions: readonly Condition[], first: number): WhereClause {
  const values: unknown[] = [];
  const text = conditions.map((condition) => {
    let used = 0;
    return condition.text.replace(/\?/g, () => {
      values.push(condition.values[used++]);
      return `$${first + values.length - 1}`;
    });
  });
  return { text: text.length === 0 ? '' : ` AND ${text.join(' AND ')}`, values };
}

/** @param first number of the first parameter */
export function columnFilter(filters: HistoryFilters, first: number): WhereClause {
  return joinConditions(columnConditions(filters), first);
}

function windowConditions(filters: HistoryFilters): Condition[] {
  return [...commonConditions(filters), ...(filters.search ? [searchCondition(filters.search)] : [])];
}

/** Whether no index finds the matches, so that the newest rows that the other filters leave are looked through. */
export function looksThrough(filters: HistoryFilters): boolean {
  return windowConditions(filters).length > 0;
}

/**
 * The filter for what is looked for among them.
 *
 * @param first number of the first parameter
 */
export function windowFilter(filters: HistoryFilters, first: number): WhereClause {
  return joinConditions(windowConditions(filters), first);
}
