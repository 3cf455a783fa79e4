import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { belongsTo, createdAt, instant, jsonText, primaryId, updatedAt } from '../columns.ts';
import { teamId, userId, users } from './accounts.ts';
import { shareIndexes, withTeam, withUser } from './share-columns.ts';
import { folders, workflowId, workflows } from './workflows.ts';

export const credentials = pgTable(
  'credentials',
  {
    id: primaryId(),
    owner_id: userId('owner_id'),
    name: text('name').notNull(),
    type: text('type').notNull(),
    /** Fernet token (§5.8) of the JSON configuration. */
    encrypted_config: text('encrypted_config').notNull(),
    /** Names the key that encrypted it, so that keys can rotate. */
    key_id: text('key_id').notNull(),
    /** While a process asks the provider for new tokens, until when the others wait for it. */
    renewing_until: instant('renewing_until'),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [uniqueIndex('credentials_name').on(t.owner_id, t.name)],
);

const credentialId = () => belongsTo('credential_id', () => credentials.id);

/** Sign-ins at a provider that people have begun (RFC 6749 section 4.1.1); each can be finished once. */
export const credentialSignIns = pgTable(
  'credential_sign_ins',
  {
    /** SHA-256 of the `state`. */
    state_hash: text('state_hash').primaryKey(),
    user_id: userId('user_id'),
    credential_id: credentialId(),
    /** Encrypted (RFC 7636 section 4.1). */
    code_verifier: text('code_verifier').notNull(),
    redirect_uri: text('redirect_uri').notNull(),
    /** The service's description of its sign-in when this one began, encrypted; the answer is judged by it. */
    discovered: text('discovered'),
    expires_at: instant('expires_at').notNull(),
  },
  (t) => [
    index('credential_sign_ins_user').on(t.user_id),
    index('credential_sign_ins_credential').on(t.credential_id),
    index('credential_sign_ins_expiry').on(t.expires_at),
  ],
);

export const credentialShares = pgTable(
  'credential_shares',
  { id: primaryId(), credential_id: credentialId(), ...withUser() },
  (t) => shareIndexes('credential_shares', t.credential_id, { user: t.user_id }),
);

export const credentialTeamShares = pgTable(
  'credential_team_shares',
  { id: primaryId(), credential_id: credentialId(), ...withTeam() },
  (t) => shareIndexes('credential_team_shares', t.credential_id, { team: t.team_id }),
);

export const globalVariables = pgTable(
  'global_variables',
  {
    id: primaryId(),
    owner_id: userId('owner_id'),
    name: text('name').notNull(),
    /** As people see it: credential values are masked (§5.8). */
    value: jsonText('value').notNull(),
    /** Fernet token of the value itself, where the mask changed it. */
    sealed_value: text('sealed_value'),
    value_type: text('value_type').notNull(),
    revision: integer('revision').notNull().default(1),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [uniqueIndex('global_variables_name').on(t.owner_id, t.name)],
);

const variableId = () => belongsTo('global_variable_id', () => globalVariables.id);

export const globalVariableShares = pgTable(
  'global_variable_shares',
  { id: primaryId(), global_variable_id: variableId(), ...withUser() },
  (t) => shareIndexes('global_variable_shares', t.global_variable_id, { user: t.user_id }),
);

export const globalVariableTeamShares = pgTable(
  'global_variable_team_shares',
  { id: primaryId(), global_variable_id: variableId(), ...withTeam() },
  (t) => shareIndexes('global_variable_team_shares', t.global_variable_id, { team: t.team_id }),
);

export const vectorStores = pgTable(
  'vector_stores',
  {
    id: primaryId(),
    owner_id: userId('owner_id'),
    name: text('name').notNull(),
    description: text('description'),
    collection_name: text('collection_name').notNull(),
    credential_id: uuid('credential_id').references(() => credentials.id, { onDelete: 'set null' }),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [
    uniqueIndex('vector_stores_name').on(t.owner_id, t.name),
    uniqueIndex('vector_stores_collection').on(t.collection_name),
  ],
);

const storeId = () => belongsTo('vector_store_id', () => vectorStores.id);

export const vectorStoreShares = pgTable(
  'vector_store_shares',
  { id: primaryId(), vector_store_id: storeId(), ...withUser() },
  (t) => shareIndexes('vector_store_shares', t.vector_store_id, { user: t.user_id }),
);

export const vectorStoreTeamShares = pgTable(
  'vector_store_team_shares',
  { id: primaryId(), vector_store_id: storeId(), ...withTeam() },
  (t) => shareIndexes('vector_store_team_shares', t.vector_store_id, { team: t.team_id }),
);

/** Workflow and node templates; `graph` holds `{nodes, edges}` or `{node_type, node_data}`. */
export const templates = pgTable(
  'templates',
  {
    id: primaryId(),
    kind: text('kind').$type<'workflow' | 'node'>().notNull(),
    author_id: userId('author_id'),
    name: text('name').notNull(),
    description: text('description'),
    tags: text('tags').array().notNull().default([]),
    graph: jsonText('graph').notNull(),
    node_type: text('node_type'),
    canvas_snapshot: text('canvas_snapshot'),
    visibility: text('visibility').$type<'everyone' | 'specific_users'>().notNull().default('everyone'),
    use_count: integer('use_count').notNull().default(0),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [index('templates_author').on(t.author_id), index('templates_kind').on(t.kind, t.visibility)],
);

const templateId = () => belongsTo('template_id', () => templates.id);

/** By address, so that a template can be shared before the person has an account. */
export const templateShares = pgTable(
  'template_shares',
  { template_id: templateId(), email: text('email').notNull() },
  (t) => [primaryKey({ columns: [t.template_id, t.email] }), index('template_shares_email').on(t.email)],
);

export const templateTeamShares = pgTable(
  'template_team_shares',
  { template_id: templateId(), team_id: teamId() },
  (t) => [
    primaryKey({ columns: [t.template_id, t.team_id] }),
    index('template_team_shares_team').on(t.team_id),
  ],
);

/** A Drive file; the bytes lie under `storage_key`, the name that a person gave is only shown, never used as a path. */
export const files = pgTable(
  'files',
  {
    id: primaryId(),
    owner_id: userId('owner_id'),
    filename: text('filename').notNull(),
    storage_key: text('storage_key').notNull(),
    mime_type: text('mime_type').notNull(),
    size_bytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    sha256: text('sha256').notNull(),
    workflow_id: uuid('workflow_id'),
    run_id: uuid('run_id'),
    source_node_id: text('source_node_id'),
    source_node_label: text('source_node_label'),
    created_at: createdAt(),
  },
  (t) => [index('files_owner').on(t.owner_id, t.created_at)],
);

const fileId = () => belongsTo('file_id', () => files.id);

export const fileTeamShares = pgTable('file_team_shares', { file_id: fileId(), ...withTeam() }, (t) => [
  primaryKey({ columns: [t.file_id, t.team_id] }),
  index('file_team_shares_team').on(t.team_id),
]);

export const fileLinks = pgTable(
  'file_links',
  {
    id: primaryId(),
    file_id: fileId(),
    token: text('token').notNull(),
    password_hash: text('password_hash'),
    expires_at: instant('expires_at'),
    max_downloads: integer('max_downloads'),
    download_count: integer('download_count').notNull().default(0),
    is_default: boolean('is_default').notNull().default(false),
    created_at: createdAt(),
  },
  (t) => [uniqueIndex('file_links_token').on(t.token), index('file_links_file').on(t.file_id)],
);

/** Own folder in which a person keeps a workflow that reaches them through a team; a direct share holds its own. */
export const teamWorkflowPlacements = pgTable(
  'team_workflow_placements',
  {
    workflow_id: workflowId(),
    user_id: userId('user_id'),
    folder_id: belongsTo('folder_id', () => folders.id),
  },
  (t) => [
    primaryKey({ columns: [t.workflow_id, t.user_id] }),
    index('team_workflow_placements_folder').on(t.folder_id),
  ],
);

/** The workflows that a person keeps at hand. */
export const workflowPins = pgTable(
  'workflow_pins',
  {
    user_id: userId('user_id'),
    workflow_id: workflowId(),
    created_at: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.user_id, t.workflow_id] }),
    index('workflow_pins_workflow').on(t.workflow_id),
  ],
);

/** The analysis document of a workflow (§5.8): one text that all users with access read and write. Stored under its former name. */
export const analysisDocuments = pgTable('analysis_notes', {
  workflow_id: uuid('workflow_id')
    .primaryKey()
    .references(() => workflows.id, { onDelete: 'cascade' }),
  content: text('content').notNull(),
  revision: integer('revision').notNull(),
  updated_by_id: uuid('updated_by_id').references(() => users.id, { onDelete: 'set null' }),
  updated_at: updatedAt(),
});
