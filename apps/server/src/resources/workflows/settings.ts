import { isDeepStrictEqual } from 'node:util';
import { portalAppearance, type SettingsInput, type WorkflowRole } from '@millrace/contracts';
import { eventKeyProblem } from '@millrace/engine';
import { forbidden, invalidField } from '../../core/app-error.ts';
import type { WorkflowRow } from './access.ts';
import { cleanJson } from './graph/clean-json.ts';

/** Columns that a change of settings may write. */
export type SettingsChange = Partial<Pick<WorkflowRow, keyof SettingsInput>>;

const NO_WORKFLOW = '00000000-0000-0000-0000-000000000000';
/** Texts that an empty value clears. */
const CLEARABLE = new Set(['auth_header_key', 'auth_header_value', 'portal_slug', 'concurrency_key']);
/** Numbers are the only settings whose null says something: "off" (§2.1). */
const NUMBERS = new Set([
  'cache_ttl_seconds',
  'rate_limit_requests',
  'rate_limit_window_seconds',
  'workflow_timeout_seconds',
  'concurrency_limit',
  'queue_limit',
  'run_budget_usd',
  'daily_budget_usd',
  'portal_rate_limit_requests',
  'portal_rate_limit_window_seconds',
]);

const SETTINGS = [
  'auth_type',
  'auth_header_key',
  'auth_header_value',
  'http_method',
  'webhook_body_mode',
  'cache_ttl_seconds',
  'rate_limit_requests',
  'rate_limit_window_seconds',
  'sse_enabled',
  'sse_node_config',
  'workflow_timeout_seconds',
  'concurrency_limit',
  'concurrency_key',
  'queue_limit',
  'queue_overflow',
  'priority',
  'run_budget_usd',
  'daily_budget_usd',
  'strict_references',
  'error_workflow_id',
  'active',
  'mcp_enabled',
  'portal_enabled',
  'portal_slug',
  'portal_stream_enabled',
  'portal_file_upload_enabled',
  'portal_file_config',
  'portal_rate_limit_requests',
  'portal_rate_limit_window_seconds',
  'portal_allowed_origins',
  'portal_appearance',
] as const satisfies readonly (keyof SettingsInput & keyof WorkflowRow)[];

/** §2.1 and §9: the settings of a new workflow. */
export const DEFAULT_SETTINGS = {
  auth_type: 'jwt',
  auth_header_key: null,
  auth_header_value: null,
  http_method: 'POST',
  webhook_body_mode: 'defined',
  cache_ttl_seconds: null,
  rate_limit_requests: null,
  rate_limit_window_seconds: null,
  sse_enabled: false,
  sse_node_config: {},
  workflow_timeout_seconds: null,
  concurrency_limit: null,
  concurrency_key: null,
  queue_limit: null,
  queue_overflow: 'refuse',
  priority: 0,
  run_budget_usd: null,
  daily_budget_usd: null,
  strict_references: false,
} as const satisfies Partial<WorkflowRow>;

function storedForm(name: (typeof SETTINGS)[number], value: unknown): unknown {
  if (CLEARABLE.has(name) && value === '') return null;
  if (name === 'error_workflow_id' && value === NO_WORKFLOW) return null;
  return typeof value === 'object' && value !== null ? cleanJson(value, ['body', name]) : value;
}

/** A setting as it is shown: what a stored object leaves out has its default. */
function shownSetting(row: Partial<WorkflowRow>, name: (typeof SETTINGS)[number]): unknown {
  return name === 'portal_appearance' ? portalAppearance.parse(row.portal_appearance ?? {}) : row[name];
}

/** The settings that the input really changes; sending a setting as it already is changes nothing. */
function differences(row: Partial<WorkflowRow>, input: Partial<SettingsInput>): SettingsChange {
  const change: Record<string, unknown> = {};
  for (const name of SETTINGS) {
    const given = input[name];
    if (given === undefined || (given === null && !NUMBERS.has(name))) continue;
    const value = storedForm(name, given);
    if (!isDeepStrictEqual(value, shownSetting(row, name))) change[name] = value;
  }
  return change;
}

/** Where the expression of a key fails later, the run counts among those without a value. */
function requireQueue(next: Partial<WorkflowRow>, change: SettingsChange): void {
  if (next.queue_overflow === 'drop_oldest' && next.queue_limit === 0) {
    const wrong = change.queue_limit === 0 ? 'queue_limit' : 'queue_overflow';
    throw invalidField(
      ['body', wrong],
      'the oldest waiting run can be dropped only where at least one may wait',
    );
  }
  if (typeof change.concurrency_key !== 'string') return;
  const problem = eventKeyProblem(change.concurrency_key, { placeholder: '$input.body.customer' });
  if (problem !== undefined) throw invalidField(['body', 'concurrency_key'], problem);
}

function requireConsistent(row: Partial<WorkflowRow>, change: SettingsChange): void {
  const next = { ...row, ...change };
  if (change.portal_enabled === true && !next.portal_slug) {
    throw invalidField(['body', 'portal_slug'], 'is needed when the portal is enabled', 'missing');
  }
  if (change.portal_slug === null && next.portal_enabled) {
    throw invalidField(['body', 'portal_slug'], 'cannot be cleared while the portal is enabled');
  }
  requireQueue(next, change);
  if (change.error_workflow_id && change.error_workflow_id === row.id) {
    throw invalidField(['body', 'error_workflow_id'], 'must be another workflow');
  }
}

/**
 * The settings that a save changes. §5.8: settings are the owner's; a collaborator's change is refused, but their write
 * to `auth_header_value`, which they cannot see, is ignored.
 *
 * @throws AppError `forbidden`, or `invalid_input` for settings that contradict each other
 */
export function settingsChange(
  row: WorkflowRow,
  input: Partial<SettingsInput>,
  role: WorkflowRole,
): SettingsChange {
  if (role === 'owner') {
    const change = differences(row, input);
    requireConsistent(row, change);
    return change;
  }
  const { auth_header_value: _ignored, ...visible } = input;
  const [first] = Object.keys(differences(row, visible));
  if (first !== undefined) throw forbidden(`Only the owner of the workflow may change ${first}`);
  return {};
}

/**
 * Settings of a new workflow that differ from the defaults.
 *
 * @throws AppError `invalid_input` for settings that contradict each other
 */
export function givenSettings(input: Partial<SettingsInput>): SettingsChange {
  const settings = differences(DEFAULT_SETTINGS, input);
  requireConsistent(DEFAULT_SETTINGS, settings);
  return settings;
}

/** Settings of a graph in which some nodes got another id: what is kept by node follows them. */
export function withRenamedNodes<Settings extends Partial<WorkflowRow>>(
  settings: Settings,
  ids: ReadonlyMap<string, string>,
): Settings {
  const { sse_node_config } = settings;
  if (ids.size === 0 || !sse_node_config) return settings;
  const renamed = Object.entries(sse_node_config).map(([id, value]) => [ids.get(id) ?? id, value]);
  return { ...settings, sse_node_config: Object.fromEntries(renamed) };
}
