import type { CostGrouping, RunStatus, TraceSource } from '@millrace/contracts';

/**
 * Reads the parameters of an address. An absent, empty or wrong one is as if it were not there: a mangled link still
 * opens the page. Written by hand because the frame of the app should not load a validation library for it.
 */
type Raw = Record<string, unknown>;
type Reader<T> = (value: unknown) => T | undefined;
type Readers = Record<string, Reader<unknown>>;
type Search<R extends Readers> = { [Key in keyof R]?: ReturnType<R[Key]> };

const text =
  (max: number): Reader<string> =>
  (value) => {
    // The router reads `q=12` as a number.
    const trimmed = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
    return trimmed !== '' && trimmed.length <= max ? trimmed : undefined;
  };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const id: Reader<string> = (value) => (typeof value === 'string' && UUID.test(value) ? value : undefined);

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;
const instant: Reader<string> = (value) =>
  typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;

const readChoice =
  <const T extends string>(choices: readonly T[]): Reader<T> =>
  (value) =>
    choices.find((choice) => choice === value);

/** A path within the app; anything that could lead to another host is dropped. */
const innerPath: Reader<string> = (value) =>
  typeof value === 'string' && value.length <= 2000 && /^\/(?![/\\])/.test(value) ? value : undefined;

function reader<R extends Readers>(readers: R): (raw: Raw) => Search<R> {
  return (raw) => {
    // Each name is set, also to undefined: the router lays the answer over the raw parameters, and one that is left out
    // would let the raw value through.
    const found = Object.entries(readers).map(([name, read]) => [name, read(raw[name])]);
    return Object.fromEntries(found) as Search<R>;
  };
}

export const afterSignIn = reader({ next: innerPath });

export const WORKFLOW_SORTS = ['updated_at', 'created_at', 'name'] as const;

export const homeSearch = reader({
  folder: id,
  q: text(200),
  sort: readChoice(WORKFLOW_SORTS),
  /** A place other than the folders: what awaits deletion, what others share. */
  show: readChoice(['deleted', 'shared']),
});
export type HomeSearch = ReturnType<typeof homeSearch>;

export const editorSearch = reader({
  /** The run that the canvas shows. */
  run: id,
  /** The node of that run whose output is open. */
  node: text(255),
});

export const RUN_STATUSES = [
  'success',
  'error',
  'running',
  'queued',
  'pending',
  'cancelled',
  'cached',
  'rate_limited',
] as const satisfies readonly RunStatus[];

export const PERIODS = ['1h', '24h', '7d', '30d'] as const;

const runFilters = {
  status: readChoice(RUN_STATUSES),
  source: text(50),
  workflow: id,
  /** Runs with unresolved references. */
  references: readChoice(['unresolved']),
  /** A span back from now, or the two ends of one. */
  period: readChoice(PERIODS),
  from: instant,
  to: instant,
  q: text(200),
} satisfies Readers;

export const runsSearch = reader({
  ...runFilters,
  /** The run whose details are open. */
  run: id,
});
export type RunsSearch = ReturnType<typeof runsSearch>;

/** `list`: where one came from, with its filters; absent: from elsewhere. */
export const runPageSearch = reader({ ...runFilters, list: readChoice(['runs']) });
export type RunPageSearch = ReturnType<typeof runPageSearch>;

export const ANALYTICS_RANGES = ['24h', '7d', '30d', 'all'] as const;

export const analyticsSearch = reader({
  workflow: id,
  range: readChoice(ANALYTICS_RANGES),
  /** Both, when a part of the range was chosen. */
  from: instant,
  to: instant,
});
export type AnalyticsSearch = ReturnType<typeof analyticsSearch>;

export const INBOX_KINDS = ['failed', 'given_up', 'refused'] as const;

export const inboxSearch = reader({
  workflow: id,
  kind: readChoice(INBOX_KINDS),
  q: text(200),
  /** Shows dismissed entries in place of the others. */
  dismissed: readChoice(['yes']),
});
export type InboxSearch = ReturnType<typeof inboxSearch>;

export const reviewsSearch = reader({
  workflow: id,
  q: text(200),
  /** The one that is shown beside the list. */
  review: text(200),
});
export type ReviewsSearch = ReturnType<typeof reviewsSearch>;

export const TRACE_SOURCES = [
  'workflow',
  'dashboard_chat',
  'workflow_assistant',
  'skill_builder',
  'transcription',
  'board',
  'vector_store',
  'eval',
] as const satisfies readonly TraceSource[];

export const COST_GROUPINGS = ['workflow', 'model', 'user'] as const satisfies readonly CostGrouping[];

export const tracesSearch = reader({
  /** The cost of calls over time, in place of the list; the two below belong to it. */
  view: readChoice(['costs']),
  range: readChoice(ANALYTICS_RANGES),
  by: readChoice(COST_GROUPINGS),
  workflow: id,
  credential: id,
  /** The run that made the calls. */
  run: id,
  source: readChoice(TRACE_SOURCES),
  status: readChoice(['success', 'error']),
  q: text(200),
  /** Absent: newest first. */
  order: readChoice(['asc']),
  /** The trace whose details are open. */
  trace: id,
});
export type TracesSearch = ReturnType<typeof tracesSearch>;

export const evalRunSearch = reader({
  /** The result whose details are open. */
  result: id,
});

export const schedulesSearch = reader({
  view: readChoice(['month', 'week', 'day']),
  /** The day that the view is around, as `2026-11-22`. */
  date: text(10),
  /** Without the schedules of others. */
  own: readChoice(['yes']),
});

/** `chat`: the one on screen; absent: a new one. */
export const assistantSearch = reader({ chat: id });
export const credentialsSearch = reader({ q: text(100) });
export const teamsSearch = reader({ team: id });
export const templatesSearch = reader({ q: text(100), kind: readChoice(['workflow', 'node']), open: id });

export const SETTINGS_TABS = ['profile', 'security', 'appearance', 'administration'] as const;
export const settingsSearch = reader({ tab: readChoice(SETTINGS_TABS) });
