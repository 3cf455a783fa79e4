import { z } from 'zod';
import { idParams, queryBoolean, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { sharedBy } from './shares.ts';
import { storedText } from './text.ts';

/** A file of the Drive. Bytes are always served as a download that a browser cannot run. */
export const driveFile = z
  .object({
    id: uuid,
    /** As the uploader named it. */
    filename: z.string(),
    /** Found in the content, not claimed by the uploader. */
    mime_type: z.string(),
    size_bytes: z.number().int(),
    workflow_id: uuid.nullable(),
    source_node_label: z.string().nullable(),
    /** Public link of the owner; null for others, and when it was revoked. */
    download_url: z.string().nullable(),
    /** For signed-in people who may see the file. */
    authenticated_download_url: z.string(),
    /** Whether the owner shares it with their teams. */
    shared_with_my_teams: z.boolean(),
    created_at: timestamp,
    ...sharedBy,
  })
  .meta({ id: 'DriveFile' });
export type DriveFile = z.infer<typeof driveFile>;

export const fileLink = z
  .object({
    id: uuid,
    token: z.string(),
    download_url: z.string(),
    basic_auth_enabled: z.boolean(),
    expires_at: timestamp.nullable(),
    download_count: z.number().int(),
    max_downloads: z.number().int().nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'FileLink' });
export type FileLink = z.infer<typeof fileLink>;

export const bulkFileResult = z
  .object({
    succeeded: z.array(uuid),
    failed: z.array(z.object({ id: uuid, reason: z.string() })),
  })
  .meta({ id: 'BulkFileResult' });
export type BulkFileResult = z.infer<typeof bulkFileResult>;

const tag = 'Files';
const path = '/api/files';
const file_ids = z.array(uuid).min(1).max(500);

const linkInput = z.object({
  expires_hours: z.number().positive().max(87_600).nullish(),
  /** Asked by HTTP Basic authentication, user name `file`. */
  basic_auth_password: z.string().min(4, 'must have at least 4 characters').max(200).nullish(),
  max_downloads: z.number().int().min(1).max(1_000_000).nullish(),
});

export const listFiles = endpoint({
  id: 'listFiles',
  method: 'GET',
  path,
  tag,
  summary: 'Own files and those of the teams of the caller, newest first',
  auth: 'session',
  query: z.object({
    workflow_id: uuid.optional(),
    /** Part of the type: `image/` or `pdf`. */
    mime_type: storedText(100).optional(),
    search: storedText(255).optional(),
    limit: z.coerce.number().int().min(1).max(500).default(50),
    offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  }),
  response: z.object({ files: z.array(driveFile), total: z.number().int() }),
});

export const deleteAllFiles = endpoint({
  id: 'deleteAllFiles',
  method: 'DELETE',
  path,
  tag,
  summary: 'Delete every own file',
  auth: 'session',
});

export const uploadFile = endpoint({
  id: 'uploadFile',
  method: 'POST',
  path: `${path}/upload`,
  tag,
  summary: 'Store the form field `file` and create a public link to it',
  auth: 'session',
  kind: 'raw',
  upload: 'form',
  query: z.object({ share_with_my_teams: queryBoolean.optional() }),
  errors: ['bad_request', 'too_large', 'unsupported_media_type'],
});

export const bulkDeleteFiles = endpoint({
  id: 'bulkDeleteFiles',
  method: 'POST',
  path: `${path}/delete/bulk`,
  tag,
  summary: 'Delete several files',
  auth: 'session',
  body: z.object({ file_ids }),
  response: bulkFileResult,
});

export const bulkShareFiles = endpoint({
  id: 'bulkShareFiles',
  method: 'POST',
  path: `${path}/share/bulk`,
  tag,
  summary: 'Create a link for each of several files',
  auth: 'session',
  body: linkInput.extend({ file_ids }),
  response: bulkFileResult,
});

export const bulkTeamShareFiles = endpoint({
  id: 'bulkTeamShareFiles',
  method: 'POST',
  path: `${path}/team-sharing/bulk`,
  tag,
  summary: 'Share several files with the teams of the caller, or stop',
  auth: 'session',
  body: z.object({ file_ids, enabled: z.boolean() }),
  response: bulkFileResult,
});

export const bulkDownloadFiles = endpoint({
  id: 'bulkDownloadFiles',
  method: 'POST',
  path: `${path}/download/bulk`,
  tag,
  summary: 'Several files as a ZIP',
  auth: 'session',
  kind: 'raw',
  body: z.object({ file_ids }),
  errors: ['not_found'],
});

export const downloadByLink = endpoint({
  id: 'downloadByLink',
  method: 'GET',
  path: `${path}/dl/{token}`,
  tag,
  summary:
    'The file of a link that has not expired and is not used up; a part of it by `Range`, unless its downloads are limited',
  auth: 'none',
  kind: 'raw',
  params: z.object({ token: storedText(200) }),
  errors: ['range_not_satisfiable', 'unauthenticated', 'not_found'],
});

export const downloadByPassword = endpoint({
  id: 'downloadByPassword',
  method: 'GET',
  path: `${path}/ba/{id}`,
  tag,
  summary:
    'The file of a link with a password, by HTTP Basic authentication as user `file`; a part of it by `Range`, unless its downloads are limited',
  auth: 'own',
  kind: 'raw',
  params: idParams,
  errors: ['range_not_satisfiable', 'unauthenticated', 'not_found', 'rate_limited'],
});

export const readFile = endpoint({
  id: 'readFile',
  method: 'GET',
  path: `${path}/{id}`,
  tag,
  summary: 'One file',
  auth: 'session',
  params: idParams,
  response: driveFile,
  errors: ['not_found'],
});

export const downloadFile = endpoint({
  id: 'downloadFile',
  method: 'GET',
  path: `${path}/{id}/download`,
  tag,
  summary: 'The content of a file',
  auth: 'session',
  kind: 'raw',
  params: idParams,
  errors: ['range_not_satisfiable', 'not_found'],
});

export const deleteFile = endpoint({
  id: 'deleteFile',
  method: 'DELETE',
  path: `${path}/{id}`,
  tag,
  summary: 'Delete a file and its links',
  auth: 'session',
  params: idParams,
  errors: ['forbidden', 'not_found'],
});

export const listFileLinks = endpoint({
  id: 'listFileLinks',
  method: 'GET',
  path: `${path}/{id}/share`,
  tag,
  summary: 'Links of a file',
  auth: 'session',
  params: idParams,
  response: z.array(fileLink),
  errors: ['forbidden', 'not_found'],
});

export const createFileLink = endpoint({
  id: 'createFileLink',
  method: 'POST',
  path: `${path}/{id}/share`,
  tag,
  summary: 'Create a link, optionally with an expiry, a password and a download limit',
  auth: 'session',
  params: idParams,
  body: linkInput.nullish(),
  response: fileLink,
  errors: ['forbidden', 'not_found'],
});

export const deleteFileLink = endpoint({
  id: 'deleteFileLink',
  method: 'DELETE',
  path: `${path}/{id}/share/{link_id}`,
  tag,
  summary: 'Revoke a link',
  auth: 'session',
  params: idParams.extend({ link_id: uuid }),
  errors: ['forbidden', 'not_found'],
});

export const setFileTeamSharing = endpoint({
  id: 'setFileTeamSharing',
  method: 'PATCH',
  path: `${path}/{id}/team-sharing`,
  tag,
  summary: 'Share a file with all teams of the caller, whose members may read it, or stop',
  auth: 'session',
  params: idParams,
  body: z.object({ enabled: z.boolean() }),
  response: z.object({ enabled: z.boolean(), shared_team_count: z.number().int() }),
  errors: ['forbidden', 'not_found'],
});

export const fileEndpoints = [
  listFiles,
  deleteAllFiles,
  uploadFile,
  bulkDeleteFiles,
  bulkShareFiles,
  bulkTeamShareFiles,
  bulkDownloadFiles,
  downloadByLink,
  downloadByPassword,
  readFile,
  downloadFile,
  deleteFile,
  listFileLinks,
  createFileLink,
  deleteFileLink,
  setFileTeamSharing,
];
