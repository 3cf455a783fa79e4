import { z } from 'zod';
import { idParams, queryBoolean, timestamp, uuid, uuidOrZero } from './common.ts';
import { endpoint } from './endpoint.ts';
import { storedName, storedText } from './text.ts';
import { importWarning, type WorkflowSummary, workflowSummary } from './workflows.ts';

/** As a parent it means the root, like null: clients of the field send it where null leaves a value as it is. */
export const ROOT_FOLDER = '00000000-0000-0000-0000-000000000000';
/** How deep folders nest at most. */
export const FOLDER_DEPTH = 32;

export const folder = z
  .object({
    id: uuid,
    name: z.string(),
    description: z.string().nullable(),
    parent_id: uuid.nullable(),
    owner_id: uuid,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Folder' });
export type Folder = z.infer<typeof folder>;

/** A folder with the folders and workflows directly in it. */
export const folderContents = folder
  .extend({ children: z.array(folder), workflows: z.array(workflowSummary) })
  .meta({ id: 'FolderContents' });
export type FolderContents = z.infer<typeof folderContents>;

export interface FolderTree extends Folder {
  children: FolderTree[];
  workflows: WorkflowSummary[];
}

/** A folder with everything below it. */
export const folderTree: z.ZodType<FolderTree> = folder
  .extend({
    get children() {
      return z.array(folderTree);
    },
    workflows: z.array(workflowSummary),
  })
  .meta({ id: 'FolderTree' });

/** A reference of an imported workflow to something that the caller does not have; it was left out. */
export const missingReference = z
  .object({
    /** Path of the file inside the archive. */
    file: z.string(),
    node_id: z.string(),
    node_label: z.string().nullable(),
    field: z.string(),
    id: z.string(),
  })
  .meta({ id: 'MissingReference' });
export type MissingReference = z.infer<typeof missingReference>;

export const folderImport = z
  .object({
    folders: z.array(folder),
    workflows: z.array(z.object({ id: uuid, name: z.string(), file: z.string() })),
    missing_credentials: z.array(missingReference),
    missing_workflows: z.array(missingReference),
    /** Everything that was left out or changed; `field` is the file's path, with the place inside where there is one. */
    warnings: z.array(importWarning),
  })
  .meta({ id: 'FolderImport' });
export type FolderImport = z.infer<typeof folderImport>;

const tag = 'Folders';
const name = storedName(255);
const description = storedText(500);

export const listFolders = endpoint({
  id: 'listFolders',
  method: 'GET',
  path: '/folders',
  aliases: ['/api/folders'],
  tag,
  summary: 'Root folders of the caller, by name',
  auth: 'session',
  response: z.array(folder),
});

export const readFolderTree = endpoint({
  id: 'readFolderTree',
  method: 'GET',
  path: '/folders/tree',
  aliases: ['/api/folders/tree'],
  tag,
  summary: 'All folders of the caller with their workflows, own and shared ones',
  auth: 'session',
  response: z.array(folderTree),
});

export const readFolder = endpoint({
  id: 'readFolder',
  method: 'GET',
  path: '/folders/{id}',
  aliases: ['/api/folders/{id}'],
  tag,
  summary: 'A folder with the folders and workflows directly in it',
  auth: 'session',
  params: idParams,
  response: folderContents,
  errors: ['not_found'],
});

export const createFolder = endpoint({
  id: 'createFolder',
  method: 'POST',
  path: '/folders',
  aliases: ['/api/folders'],
  tag,
  summary: 'Create a folder, at the root unless a parent is given',
  auth: 'session',
  body: z.object({ name, description: description.nullish(), parent_id: uuidOrZero.nullish() }),
  response: folder,
  status: 201,
  errors: ['bad_request', 'not_found'],
});

export const updateFolder = endpoint({
  id: 'updateFolder',
  method: 'PUT',
  path: '/folders/{id}',
  aliases: ['/api/folders/{id}'],
  tag,
  summary: 'Rename, describe or move a folder; null or the all-zero id as parent moves it to the root',
  auth: 'session',
  params: idParams,
  body: z.object({
    name: name.nullish(),
    description: description.nullish(),
    parent_id: uuidOrZero.nullish(),
  }),
  response: folder,
  errors: ['bad_request', 'not_found'],
});

export const deleteFolder = endpoint({
  id: 'deleteFolder',
  method: 'DELETE',
  path: '/folders/{id}',
  aliases: ['/api/folders/{id}'],
  tag,
  summary: 'Delete a folder and its sub-folders; their workflows are scheduled for deletion',
  auth: 'session',
  params: idParams,
  errors: ['not_found'],
});

export const moveWorkflowToFolder = endpoint({
  id: 'moveWorkflowToFolder',
  method: 'PUT',
  path: '/folders/{folder_id}/workflows/{workflow_id}',
  aliases: ['/api/folders/{folder_id}/workflows/{workflow_id}'],
  tag,
  summary: 'Put a workflow into an own folder; a shared one moves for the caller only',
  auth: 'session',
  params: z.object({ folder_id: uuid, workflow_id: uuid }),
  response: workflowSummary,
  errors: ['not_found', 'conflict'],
});

export const removeWorkflowFromFolder = endpoint({
  id: 'removeWorkflowFromFolder',
  method: 'DELETE',
  path: '/folders/workflows/{workflow_id}/folder',
  aliases: ['/api/folders/workflows/{workflow_id}/folder'],
  tag,
  summary: 'Take a workflow out of its folder',
  auth: 'session',
  params: z.object({ workflow_id: uuid }),
  response: workflowSummary,
  errors: ['not_found'],
});

export const exportFolder = endpoint({
  id: 'exportFolder',
  method: 'GET',
  path: '/folders/{id}/export',
  aliases: ['/api/folders/{id}/export'],
  tag,
  summary: 'ZIP of a folder and all its sub-folders, one JSON file per workflow',
  auth: 'session',
  kind: 'raw',
  params: idParams,
  errors: ['not_found'],
});

export const importFolder = endpoint({
  id: 'importFolder',
  method: 'POST',
  path: '/folders/import',
  aliases: ['/api/folders/import'],
  tag,
  summary:
    'Create folders and workflows from such a ZIP, or workflows from a JSON list, all of it or nothing; send it as the body or as `file`. With `draft=true` nothing is published',
  auth: 'session',
  kind: 'raw',
  upload: 'form_or_body',
  query: z.object({ parent_id: uuid.optional(), draft: queryBoolean.optional() }),
  errors: ['bad_request', 'not_found', 'too_large', 'unsupported_media_type'],
});

const scheduled = {
  path: '/workflows/{id}/schedule-deletion',
  aliases: ['/api/workflows/{id}/schedule-deletion'],
  tag,
  auth: 'session',
  params: idParams,
  response: workflowSummary,
  errors: ['forbidden', 'not_found'],
} as const;

export const scheduleDeletion = endpoint({
  ...scheduled,
  id: 'scheduleDeletion',
  method: 'PUT',
  summary: 'Schedule a workflow for deletion by the daily job and take it out of its folder',
});

export const cancelDeletion = endpoint({
  ...scheduled,
  id: 'cancelDeletion',
  method: 'DELETE',
  summary: 'Restore a workflow that is scheduled for deletion',
});

export const folderEndpoints = [
  listFolders,
  readFolderTree,
  importFolder,
  readFolder,
  createFolder,
  updateFolder,
  deleteFolder,
  moveWorkflowToFolder,
  removeWorkflowFromFolder,
  exportFolder,
  scheduleDeletion,
  cancelDeletion,
];
