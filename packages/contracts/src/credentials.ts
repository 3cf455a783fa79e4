import { modelRouterConfig } from '@millrace/nodes/model-router';
import { z } from 'zod';
import { idParams, queryBoolean, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { sharedBy, teamShareEndpoints, userShareEndpoints } from './shares.ts';
import { keyName, storedText } from './text.ts';

/** A credential as people see it; its secrets never leave the server. */
export const credential = z
  .object({
    id: uuid,
    name: z.string(),
    type: z.string(),
    /** First characters of the secret; null for types that show nothing, and when it cannot be decrypted. */
    masked_value: z.string().nullable(),
    header_key: z.string().nullable(),
    public_fields: z.record(z.string(), z.unknown()),
    withheld_fields: z
      .array(z.string())
      .describe('For its owner: fields that have a value which is not shown, because a secret is in it.'),
    /** False when no configured key decrypts it: it has to be entered again. */
    readable: z.boolean(),
    /** Of types that people sign in to; `ended` when the provider takes the sign-in no longer. */
    sign_in: z.enum(['missing', 'connected', 'ended']).nullable(),
    created_at: timestamp,
    updated_at: timestamp,
    ...sharedBy,
  })
  .meta({ id: 'Credential' });
export type Credential = z.infer<typeof credential>;

const usdPerMillion = z.number().describe('US dollars per million tokens.');

const tokenPrices = z.object({ input: usdPerMillion, output: usdPerMillion });

export const modelCapabilities = z
  .object({
    vision: z.boolean().describe('Takes images with a message.'),
    tools: z.boolean().describe('Can be given tools.'),
    structured_output: z.boolean().describe('Answers by a JSON Schema that its provider enforces.'),
    context_window_tokens: z.int().describe('Tokens that the prompt and the answer may have together.'),
  })
  .meta({ id: 'ModelCapabilities' });
export type ModelCapabilities = z.infer<typeof modelCapabilities>;

/** A model that a credential gives access to. */
export const credentialModel = z
  .object({
    id: z.string(),
    name: z.string(),
    is_reasoning: z.boolean(),
    supports_batch: z.boolean(),
    batch_support_reason: z.string().nullable(),
    capabilities: modelCapabilities.nullable().describe('Null: not known, so that nothing is refused.'),
    price: tokenPrices.nullable().describe('Null: not known.'),
  })
  .meta({ id: 'CredentialModel' });
export type CredentialModel = z.infer<typeof credentialModel>;

const tag = 'Credentials';
/** Names become keys of `$credentials`. */
export const credentialName = keyName(100);
const config = z.record(z.string().max(100), z.unknown());

export const listCredentials = endpoint({
  id: 'listCredentials',
  method: 'GET',
  path: '/api/credentials',
  tag,
  summary: 'Own credentials, newest first, then those shared with the caller, then those of their teams',
  auth: 'session',
  response: z.array(credential),
});

export const listAvailableCredentials = endpoint({
  id: 'listAvailableCredentials',
  method: 'GET',
  path: '/api/credentials/available',
  tag,
  summary: 'Names available in `$credentials`, for completion',
  auth: 'session',
  response: z.array(z.object({ name: z.string(), type: z.string() })),
});

export const listModelCredentials = endpoint({
  id: 'listModelCredentials',
  method: 'GET',
  path: '/api/credentials/llm',
  tag,
  summary: 'Credentials that a model node can use, routers included',
  auth: 'session',
  response: z.array(credential),
});

export const listCredentialsByType = endpoint({
  id: 'listCredentialsByType',
  method: 'GET',
  path: '/api/credentials/by-type/{type}',
  tag,
  summary: 'Credentials of one type, by name',
  auth: 'session',
  params: z.object({ type: storedText(50) }),
  response: z.array(credential),
});

export const createCredential = endpoint({
  id: 'createCredential',
  method: 'POST',
  path: '/api/credentials',
  tag,
  summary: 'Store a credential, encrypted',
  auth: 'session',
  body: z.object({ name: credentialName, type: z.string().max(50), config }),
  response: credential,
  status: 201,
  errors: ['conflict'],
});

export const testCredential = endpoint({
  id: 'testCredential',
  method: 'POST',
  path: '/api/credentials/test',
  tag,
  summary: 'Try a configuration, or a stored credential with some fields replaced, against its service',
  auth: 'session',
  body: z.object({ type: z.string().max(50), config: config.optional(), credential_id: uuid.nullish() }),
  response: z.object({ success: z.boolean(), message: z.string() }),
  errors: ['forbidden', 'not_found'],
});

export const rotateCredentialKeys = endpoint({
  id: 'rotateCredentialKeys',
  method: 'POST',
  path: '/api/credentials/rotate-keys',
  tag,
  summary: 'Re-encrypt every credential with the current key; lists those that no configured key can decrypt',
  auth: 'admin',
  response: z.object({
    rotated: z.number().int(),
    unreadable: z.array(z.object({ id: uuid, name: z.string(), owner_id: uuid })),
  }),
});

export const readCredential = endpoint({
  id: 'readCredential',
  method: 'GET',
  path: '/api/credentials/{id}',
  tag,
  summary: 'One credential',
  auth: 'session',
  params: idParams,
  response: credential,
  errors: ['not_found'],
});

export const updateCredential = endpoint({
  id: 'updateCredential',
  method: 'PUT',
  path: '/api/credentials/{id}',
  tag,
  summary: 'Rename or configure a credential; blank secrets keep what is stored, null clears',
  auth: 'session',
  params: idParams,
  body: z.object({ name: credentialName.nullish(), config: config.nullish() }),
  response: credential,
  errors: ['forbidden', 'not_found', 'conflict'],
});

export const deleteCredential = endpoint({
  id: 'deleteCredential',
  method: 'DELETE',
  path: '/api/credentials/{id}',
  tag,
  summary: 'Delete a credential and its shares',
  auth: 'session',
  params: idParams,
  errors: ['forbidden', 'not_found'],
});

export const listCredentialModels = endpoint({
  id: 'listCredentialModels',
  method: 'GET',
  path: '/api/credentials/{id}/models',
  tag,
  summary:
    'Models of the credential that answer with text, kept for ten minutes; a router has the one model `Auto`',
  auth: 'session',
  params: idParams,
  query: z.object({ refresh: queryBoolean.prefault('false').describe('Asks the provider again.') }),
  response: z.array(credentialModel),
  errors: ['bad_request', 'not_found', 'unavailable'],
});

export const modelFacts = z
  .object({
    price: tokenPrices
      .nullable()
      .describe(
        'Null: no price is known, so that calls cost nothing in traces and do not count for cost budgets.',
      ),
    capabilities: modelCapabilities.nullable().describe('Null: not known, so that nothing is refused.'),
  })
  .meta({ id: 'ModelFacts' });
export type ModelFacts = z.infer<typeof modelFacts>;

export const readModelFacts = endpoint({
  id: 'readModelFacts',
  method: 'GET',
  path: '/api/credentials/{id}/model-facts',
  tag,
  summary: 'What is known of a model of the credential: its price and what it can take',
  auth: 'session',
  params: idParams,
  query: z.object({ model: z.string().trim().min(1).max(500) }),
  response: modelFacts,
  errors: ['not_found'],
});

const credentialUse = z
  .object({ kind: z.enum(['workflow', 'model_router', 'board', 'vector_store']), id: uuid, name: z.string() })
  .meta({ id: 'CredentialUse' });
export type CredentialUse = z.infer<typeof credentialUse>;

const credentialUses = z
  .object({
    items: z.array(credentialUse).describe('Those that the caller can see, by name.'),
    hidden_count: z
      .number()
      .int()
      .describe(
        'How many others there are, of people whom the credential is shared with; the owner alone learns it.',
      ),
    has_more: z.boolean().describe('More workflows mention the credential than one request reads.'),
  })
  .meta({ id: 'CredentialUses' });
export type CredentialUses = z.infer<typeof credentialUses>;

export const listCredentialUses = endpoint({
  id: 'listCredentialUses',
  method: 'GET',
  path: '/api/credentials/{id}/used-by',
  tag,
  summary:
    'Workflows that use the credential, published or as a draft, model routers, boards and vector stores',
  auth: 'session',
  params: idParams,
  response: credentialUses,
  errors: ['not_found'],
});

/** The choices for a `resource` parameter of a node, asked from the service with one of the caller's credentials. */
export const listCredentialChoices = endpoint({
  id: 'listCredentialChoices',
  method: 'POST',
  path: '/api/credentials/{id}/choices',
  tag,
  summary: 'Objects of the service to choose from for a node parameter, with search and paging',
  auth: 'session',
  params: idParams,
  body: z.object({
    node_type: z.string().max(100),
    /** Name of the list, as the parameter's field names it. */
    list: z.string().max(100),
    /** Other parameters of the node, as far as they are plain texts. */
    params: z.record(z.string().max(100), z.string().max(4_096)).default({}),
    search: z.string().max(200).default(''),
    cursor: z.string().max(4_096).nullable().default(null),
    refresh: z
      .boolean()
      .default(false)
      .describe('Asks the provider again for a list of models, which is kept for ten minutes.'),
  }),
  response: z.object({
    items: z.array(
      z.object({
        value: z.string(),
        label: z.string(),
        hint: z.string().optional(),
        capabilities: modelCapabilities.optional().describe('Of models, where they are known.'),
      }),
    ),
    next_cursor: z.string().nullable(),
  }),
  errors: ['not_found', 'bad_request', 'unavailable'],
});

export const readModelRouter = endpoint({
  id: 'readModelRouter',
  method: 'GET',
  path: '/api/credentials/{id}/model-router',
  tag,
  summary: 'Configuration of a model router, which holds no secret itself',
  auth: 'session',
  params: idParams,
  response: modelRouterConfig,
  errors: ['bad_request', 'forbidden', 'not_found'],
});

/** `google-sheets` for the type `google_sheets`: the type of credential with hyphens. */
const provider = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be a type of credential, with hyphens')
  .max(50);

export const startCredentialSignIn = endpoint({
  id: 'startCredentialSignIn',
  method: 'POST',
  path: '/api/credentials/{provider}/oauth/authorize',
  tag,
  summary: 'Begin an OAuth 2 sign-in; the address is opened in a window of the same browser',
  auth: 'session',
  params: z.object({ provider }),
  body: z.object({ credential_id: uuid }),
  response: z.object({
    auth_url: z.string(),
    state: z.string(),
    /** Whether the browser does not come back here, so that the address at which it ends has to be sent. */
    needs_address: z.boolean(),
  }),
  errors: ['bad_request', 'forbidden', 'not_found', 'conflict', 'unavailable'],
});

/** Answers a page that notifies the window that opened it, and closes. */
export const finishCredentialSignIn = endpoint({
  id: 'finishCredentialSignIn',
  method: 'GET',
  path: '/api/credentials/{provider}/oauth/callback',
  tag,
  summary: 'Redirect address of OAuth 2 sign-ins; answers a page',
  auth: 'optional_session',
  kind: 'raw',
  params: z.object({ provider }),
  errors: ['bad_request', 'not_found'],
});

/** For providers whose client comes back to the person's own computer, where nothing of this service answers. */
export const finishCredentialSignInAt = endpoint({
  id: 'finishCredentialSignInAt',
  method: 'POST',
  path: '/api/credentials/{provider}/oauth/callback',
  tag,
  summary: 'Finish an OAuth 2 sign-in with the address at which the browser ended',
  auth: 'session',
  params: z.object({ provider }),
  body: z.object({ address: z.string().trim().min(1).max(16_384) }),
  response: credential,
  errors: ['bad_request', 'forbidden', 'not_found', 'conflict'],
});

export const endCredentialSignIn = endpoint({
  id: 'endCredentialSignIn',
  method: 'DELETE',
  path: '/api/credentials/{id}/oauth',
  tag,
  summary: 'Forget the tokens of a sign-in, and revoke them where the provider can',
  auth: 'session',
  params: idParams,
  response: credential,
  errors: ['bad_request', 'forbidden', 'not_found', 'conflict'],
});

const shared = { name: 'credential', path: '/api/credentials', tag };
export const credentialUserShares = userShareEndpoints(shared);
export const credentialTeamShares = teamShareEndpoints(shared);

export const credentialEndpoints = [
  listCredentials,
  listAvailableCredentials,
  listModelCredentials,
  listCredentialsByType,
  createCredential,
  testCredential,
  rotateCredentialKeys,
  readCredential,
  updateCredential,
  deleteCredential,
  listCredentialUses,
  listCredentialModels,
  listCredentialChoices,
  readModelFacts,
  readModelRouter,
  startCredentialSignIn,
  finishCredentialSignIn,
  finishCredentialSignInAt,
  endCredentialSignIn,
  ...Object.values(credentialUserShares),
  ...Object.values(credentialTeamShares),
];
