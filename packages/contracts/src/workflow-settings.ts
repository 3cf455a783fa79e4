import { DAY_SECONDS, YEAR_SECONDS } from '@millrace/engine/units';
import { z } from 'zod';
import { budgetInput, budgetUsd } from './budgets.ts';
import { uuidOrZero } from './common.ts';
import { portalAppearance } from './portal-appearance.ts';
import { settingKey } from './setting-key.ts';
import { storedText } from './text.ts';

/** §2.1 of the specification: settings of one workflow, the same words in records and in changes. */
export const authType = z.enum(['anonymous', 'jwt', 'header_auth']).meta({ id: 'AuthType' });
export const httpMethod = z.enum(['GET', 'POST', 'PUT', 'DELETE']).meta({ id: 'HttpMethod' });
export const webhookBodyMode = z.enum(['defined', 'generic']).meta({ id: 'WebhookBodyMode' });
/** Treatment of a run when as many wait for a place as may: it is refused, or the run that has waited longest is dropped. */
export const queueOverflow = z.enum(['refuse', 'drop_oldest']).meta({ id: 'QueueOverflow' });
export type AuthType = z.infer<typeof authType>;
export type HttpMethod = z.infer<typeof httpMethod>;
export type WebhookBodyMode = z.infer<typeof webhookBodyMode>;

/** Start message of one node; null falls back to `[START] {nodeLabel}`. */
export const sseNodeSetting = z.object({ send_start: z.boolean(), start_message: z.string().nullable() });
export const sseNodeConfig = z.record(z.string(), sseNodeSetting).meta({ id: 'SseNodeConfig' });
export type SseNodeConfig = z.infer<typeof sseNodeConfig>;

/** Uploads of one input field of the portal. */
export const portalFileSetting = z.object({
  file_upload_enabled: z.boolean(),
  allowed_types: z.array(z.string()),
  max_size_mb: z.number(),
});
export const portalFileConfig = z.record(z.string(), portalFileSetting).meta({ id: 'PortalFileConfig' });
export type PortalFileConfig = z.infer<typeof portalFileConfig>;

/** How the portal of a workflow works, as it is stored. */
export const portalBehaviour = {
  portal_stream_enabled: z.boolean(),
  portal_file_upload_enabled: z.boolean(),
  portal_file_config: portalFileConfig,
  portal_rate_limit_requests: z.number().int().nullable(),
  portal_rate_limit_window_seconds: z.number().int().nullable(),
  portal_allowed_origins: z.array(z.string()),
  portal_appearance: portalAppearance,
};

/** Settings that a version keeps, shows and reverts. */
export const versionedSettings = z.object({
  auth_type: authType,
  auth_header_key: z.string().nullable(),
  /** Always null for collaborators (§5.8); `auth_header_value_set` is true when a value is stored. */
  auth_header_value: z.string().nullable(),
  http_method: httpMethod,
  webhook_body_mode: webhookBodyMode,
  cache_ttl_seconds: z.number().int().nullable(),
  rate_limit_requests: z.number().int().nullable(),
  rate_limit_window_seconds: z.number().int().nullable(),
  sse_enabled: z.boolean(),
  sse_node_config: sseNodeConfig,
});
export type VersionedSettings = z.infer<typeof versionedSettings>;

/** How many runs there may be, what they may cost, and which go first. */
const workflowLimits = z.object({
  /** Runs under way at once, on all processes; null: no limit. */
  concurrency_limit: z.number().int().nullable(),
  /** Expression over the input of a run: the limit holds for each of its values. */
  concurrency_key: z.string().nullable(),
  /** Runs that may wait for a place; null: as many as come. */
  queue_limit: z.number().int().nullable(),
  queue_overflow: queueOverflow,
  /** Queued runs of workflows with a higher number go first. */
  priority: z.number().int(),
  run_budget_usd: budgetUsd.describe('What calls of models of one run may cost; null: no budget.'),
  daily_budget_usd: budgetUsd.describe(
    'What calls of models of all runs of one day may cost; null: no budget.',
  ),
});

export const strictReferences = z
  .boolean()
  .describe(
    'A reference in a text that has no value fails its node. Off: the text keeps it as it is written, and the run lists it.',
  );

/** Run settings, which are not part of a version. */
export const runSettings = workflowLimits.extend({ strict_references: strictReferences });

/** Null, 0 and less all mean "off"; absent leaves the setting as it is. */
const offOrUpTo = (max: number) =>
  z
    .number()
    .int('must be a whole number')
    .min(-2_147_483_648)
    .max(max)
    .nullish()
    .transform((value) => (value === undefined ? undefined : value === null || value <= 0 ? null : value));

/** RFC 9110 §5.1: a header name is a token. */
const headerName = z
  .string()
  .trim()
  .max(255)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]*$/, 'must be a header name: letters, digits and hyphens');

/** RFC 9110 §5.5: what could never be sent could never match, such as line breaks, and spaces at the ends. */
const headerValue = z
  .string()
  .max(1024)
  .regex(/^[\t\x20-\x7e\x80-\u{10ffff}]*$/u, 'must not contain line breaks or other control characters')
  .overwrite((value) => value.replace(/^[ \t]+|[ \t]+$/g, ''));

const sseNodeConfigInput = z
  .record(
    settingKey,
    z.object({
      send_start: z.boolean().default(false),
      start_message: z
        .string()
        .max(2000)
        .nullish()
        .transform((text) => (text === undefined || text === null || text.trim() === '' ? null : text)),
    }),
  )
  .refine((config) => Object.keys(config).length <= 10_000, 'has more than 10000 entries');

export const portalSlug = z
  .string()
  .trim()
  .max(255)
  .regex(/^[a-z0-9-]*$/, 'may contain lower-case letters, digits and hyphens only');

/**
 * A site as browsers name it (RFC 6454 §6.2), with `*` in place of the first labels of its name, or `*` alone for every
 * site. Anything else would end up in a header as something that it is not.
 */
export const portalOrigin = z
  .string()
  .trim()
  .max(255)
  .refine(
    (text) => text === '*' || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text),
    'must be an origin such as https://www.example.com, without a path, or * for every site',
  );

const portalFileConfigInput = z
  .record(
    settingKey,
    z.object({
      file_upload_enabled: z.boolean().default(false),
      allowed_types: z.array(z.string().min(1).max(100)).max(50).default(['text']),
      max_size_mb: z.number().positive().max(10_240).default(5),
    }),
  )
  .refine((config) => Object.keys(config).length <= 1000, 'has more than 1000 entries');

/** Settings as they are changed. Null and absent leave one as it is, except for the numbers, where null is "off". */
export const settingsInput = z.object({
  auth_type: authType.nullish(),
  /** Empty clears it. */
  auth_header_key: headerName.nullish(),
  auth_header_value: headerValue.nullish(),
  http_method: httpMethod.nullish(),
  /** `legacy` is how older clients write `defined`. */
  webhook_body_mode: z
    .enum(['defined', 'generic', 'legacy'])
    .nullish()
    .transform((mode) => (mode === 'legacy' ? 'defined' : mode)),
  cache_ttl_seconds: offOrUpTo(YEAR_SECONDS),
  rate_limit_requests: offOrUpTo(1_000_000_000),
  rate_limit_window_seconds: offOrUpTo(YEAR_SECONDS),
  sse_enabled: z.boolean().nullish(),
  sse_node_config: sseNodeConfigInput.nullish(),
  workflow_timeout_seconds: offOrUpTo(30 * DAY_SECONDS),
  /** Runs under way at once, on all processes. */
  concurrency_limit: offOrUpTo(10_000),
  /** Expression over the input of a run: the limit holds for each of its values. Empty clears it. */
  concurrency_key: storedText(1000).trim().nullish(),
  /** Runs that may wait for a place: with a key those of each of its values; null: as many as come. */
  queue_limit: z.number().int('must be a whole number').min(0).max(100_000).nullish(),
  queue_overflow: queueOverflow.nullish(),
  /** Queued runs of workflows with a higher number go first. */
  priority: z.number().int('must be a whole number').min(-100).max(100).nullish(),
  run_budget_usd: budgetInput,
  daily_budget_usd: budgetInput,
  strict_references: strictReferences.nullish(),
  /** The all-zero id clears it. */
  error_workflow_id: uuidOrZero.nullish(),
  /** Off: neither triggers nor calls start the workflow. */
  active: z.boolean().nullish(),
  mcp_enabled: z.boolean().nullish(),
  portal_enabled: z.boolean().nullish(),
  /** Empty clears it. */
  portal_slug: portalSlug.nullish(),
  portal_stream_enabled: z.boolean().nullish(),
  portal_file_upload_enabled: z.boolean().nullish(),
  portal_file_config: portalFileConfigInput.nullish(),
  /** Of each visitor; both of them set take the place of the workflow's limit. */
  portal_rate_limit_requests: offOrUpTo(1_000_000_000),
  portal_rate_limit_window_seconds: offOrUpTo(YEAR_SECONDS),
  /** Sites that may show the chat. */
  portal_allowed_origins: z.array(portalOrigin).max(50).nullish(),
  portal_appearance: portalAppearance.nullish(),
});
export type SettingsInput = z.infer<typeof settingsInput>;
