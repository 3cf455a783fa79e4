import { z } from 'zod';
import { idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { shownAppearance } from './portal-appearance.ts';
import { portalInputField } from './portal-fields.ts';
import { storedName, storedText } from './text.ts';
import { portalBehaviour, portalFileConfig, portalSlug, settingsInput } from './workflow-settings.ts';

/** §8.3 of the specification. */
export const PORTAL_SESSION_HOURS = 168;

const tag = 'Portal';
const path = '/api/portal/{slug}';
const params = z.object({ slug: storedText(255) });

export const portalInfo = z
  .object({
    workflow_name: z.string(),
    workflow_description: z.string(),
    /** Whether visitors have to sign in. */
    requires_auth: z.boolean(),
    stream_enabled: z.boolean(),
    file_upload_enabled: z.boolean(),
    file_config: portalFileConfig,
    input_fields: z.array(portalInputField),
    appearance: shownAppearance,
  })
  .meta({ id: 'PortalInfo' });
export type PortalInfo = z.infer<typeof portalInfo>;

const message = z.object({ role: storedText(50), content: storedText(1_000_000) });

export const portalCall = z
  .object({
    /** Become the body of the run. */
    inputs: z.record(z.string(), z.json()).default({}),
    /** Earlier messages, oldest first; the run reads them as `conversation_history`. */
    conversation_history: z
      .array(message)
      .max(1000)
      .nullish()
      .describe('Absent in a stored conversation: its messages and answers so far.'),
    conversation_id: uuid
      .nullish()
      .describe(
        'A conversation of the visitor that keeps the message; without it nothing is kept but the run.',
      ),
    replaces: uuid
      .nullish()
      .describe('Run of the conversation whose message this one replaces, with all that came after it.'),
  })
  .meta({ id: 'PortalCall' });
export type PortalCall = z.infer<typeof portalCall>;

export const readPortalInfo = endpoint({
  id: 'readPortalInfo',
  method: 'GET',
  path: `${path}/info`,
  tag,
  summary: 'Name, description and input fields of the workflow behind a portal',
  auth: 'own',
  params,
  response: portalInfo,
  errors: ['not_found', 'rate_limited'],
});

export const loginToPortal = endpoint({
  id: 'loginToPortal',
  method: 'POST',
  path: `${path}/login`,
  tag,
  summary:
    'A session of 168 hours; three failures ban the address from this portal for 24 hours, and before that the refusal has `tries_left`',
  auth: 'own',
  params,
  body: z.object({ username: storedText(100), password: z.string().max(1000) }),
  response: z.object({ session_token: z.string(), expires_at: timestamp }),
  errors: ['unauthenticated', 'not_found', 'rate_limited', 'invalid_input'],
  body_limit: 16 * 1024,
});

/** Files travel in the inputs as data URLs. */
const CALL_BYTES = 16 * 1024 * 1024;
const call = { tag, auth: 'own', params, body: portalCall, body_limit: CALL_BYTES } as const;
/** Also the answer while a model writes it (`node_token`). */
const streamQuery = z.object({ tokens: z.string().optional() });

export const executePortal = endpoint({
  ...call,
  id: 'executePortal',
  method: 'POST',
  path: `${path}/execute`,
  kind: 'raw',
  query: z.object({ cancel_on_disconnect: z.string().optional() }),
  summary:
    'Runs the workflow with `inputs` and answers with its outputs; what the nodes between them did is not shown. With `cancel_on_disconnect=true` the run ends when the client leaves',
  errors: [
    'bad_request',
    'unauthenticated',
    'not_found',
    'conflict',
    'invalid_input',
    'rate_limited',
    'unavailable',
  ],
});

export const streamPortal = endpoint({
  ...call,
  id: 'streamPortal',
  method: 'POST',
  path: `${path}/execute/stream`,
  kind: 'stream',
  query: streamQuery,
  summary:
    'The same as an event stream; `node_start` has `progress_path`, the labels so far. With `tokens=true` also the text of the answer while a model writes it',
  errors: ['bad_request', 'unauthenticated', 'not_found', 'invalid_input', 'rate_limited', 'unavailable'],
});

export const cancelPortalExecution = endpoint({
  id: 'cancelPortalExecution',
  method: 'POST',
  path: `${path}/executions/{execution_id}/cancel`,
  tag,
  summary: 'Stop a run that this portal has started',
  auth: 'own',
  params: params.extend({ execution_id: uuid }),
  response: z.object({ status: z.literal('cancel_requested') }),
  errors: ['unauthenticated', 'not_found', 'rate_limited'],
});

export const followPortalExecution = endpoint({
  id: 'followPortalExecution',
  method: 'GET',
  path: `${path}/executions/{execution_id}/stream`,
  kind: 'stream',
  tag,
  query: streamQuery,
  summary: 'The stream of a run that this portal has started, from its beginning, also when it has ended',
  auth: 'own',
  params: params.extend({ execution_id: uuid }),
  errors: ['unauthenticated', 'not_found', 'rate_limited'],
});

export const portalSettings = z
  .object({
    portal_enabled: z.boolean(),
    portal_slug: z.string().nullable(),
    ...portalBehaviour,
    input_fields: z.array(portalInputField),
  })
  .meta({ id: 'PortalSettings' });
export type PortalSettings = z.infer<typeof portalSettings>;

export const portalSettingsInput = settingsInput.pick({
  portal_enabled: true,
  portal_slug: true,
  portal_stream_enabled: true,
  portal_file_upload_enabled: true,
  portal_file_config: true,
  portal_rate_limit_requests: true,
  portal_rate_limit_window_seconds: true,
  portal_allowed_origins: true,
  portal_appearance: true,
});
export type PortalSettingsInput = z.infer<typeof portalSettingsInput>;

const settingsPath = '/api/workflows/{id}/portal';

export const readPortalSettings = endpoint({
  id: 'readPortalSettings',
  method: 'GET',
  path: settingsPath,
  tag,
  summary: 'Portal settings of a workflow',
  auth: 'session',
  params: idParams,
  response: portalSettings,
  errors: ['not_found'],
});

export const updatePortalSettings = endpoint({
  id: 'updatePortalSettings',
  method: 'PUT',
  path: settingsPath,
  tag,
  summary: 'Change the portal of an own workflow; switching it off ends the sessions of its visitors',
  auth: 'session',
  params: idParams,
  body: portalSettingsInput,
  response: portalSettings,
  errors: ['bad_request', 'forbidden', 'not_found', 'invalid_input'],
});

export const checkPortalSlug = endpoint({
  id: 'checkPortalSlug',
  method: 'GET',
  path: `${settingsPath}/slug`,
  tag,
  summary:
    'Whether the portal of an own workflow can have this slug; one of a portal that is switched off is taken, too',
  auth: 'session',
  params: idParams,
  query: z.object({ slug: portalSlug }),
  response: z.object({ is_free: z.boolean() }).meta({ id: 'PortalSlugCheck' }),
  errors: ['forbidden', 'not_found', 'invalid_input'],
});

/** §2.6 of the specification. The password is never shown. */
export const portalUser = z
  .object({ id: uuid, username: z.string(), created_at: timestamp })
  .meta({ id: 'PortalUser' });
export type PortalUser = z.infer<typeof portalUser>;

const password = z.string().min(4).max(1000);
const userParams = idParams.extend({ user_id: uuid });

export const listPortalUsers = endpoint({
  id: 'listPortalUsers',
  method: 'GET',
  path: `${settingsPath}/users`,
  tag,
  summary: 'People who may sign in to the portal, by name; without any the portal is public',
  auth: 'session',
  params: idParams,
  response: z.array(portalUser),
  errors: ['not_found'],
});

export const addPortalUser = endpoint({
  id: 'addPortalUser',
  method: 'POST',
  path: `${settingsPath}/users`,
  tag,
  summary: 'Add a person to the portal',
  auth: 'session',
  params: idParams,
  body: z.object({ username: storedName(100), password }),
  response: portalUser,
  errors: ['bad_request', 'forbidden', 'not_found', 'invalid_input'],
});

export const resetPortalUser = endpoint({
  id: 'resetPortalUser',
  method: 'PUT',
  path: `${settingsPath}/users/{user_id}`,
  tag,
  summary:
    'Set a new password, end the sessions of the person, and let everyone who was locked out of the portal try again',
  auth: 'session',
  params: userParams,
  body: z.object({ password }),
  response: portalUser,
  errors: ['forbidden', 'not_found', 'invalid_input'],
});

export const endPortalUserSessions = endpoint({
  id: 'endPortalUserSessions',
  method: 'DELETE',
  path: `${settingsPath}/users/{user_id}/sessions`,
  tag,
  summary: 'End the sessions of the person, who can sign in again',
  auth: 'session',
  params: userParams,
  errors: ['forbidden', 'not_found'],
});

export const removePortalUser = endpoint({
  id: 'removePortalUser',
  method: 'DELETE',
  path: `${settingsPath}/users/{user_id}`,
  tag,
  summary: 'Remove a person from the portal and end their sessions',
  auth: 'session',
  params: userParams,
  errors: ['forbidden', 'not_found'],
});

export const portalEndpoints = [
  readPortalInfo,
  loginToPortal,
  executePortal,
  streamPortal,
  cancelPortalExecution,
  followPortalExecution,
  readPortalSettings,
  updatePortalSettings,
  checkPortalSlug,
  listPortalUsers,
  addPortalUser,
  resetPortalUser,
  removePortalUser,
  endPortalUserSessions,
] as const;
