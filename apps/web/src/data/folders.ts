import {
  cancelDeletion,
  createFolder,
  deleteFolder,
  exportFolder,
  type FolderImport,
  type FolderTree,
  importFolder,
  listWorkflows,
  moveWorkflowToFolder,
  ROOT_FOLDER,
  readFolderTree,
  removeWorkflowFromFolder,
  scheduleDeletion,
  updateFolder,
} from '@millrace/contracts';
import { buildEndpointUrl } from '@millrace/contracts/client';
import { useQueryClient } from '@tanstack/react-query';
import { api, sessionFetch } from './api.ts';
import { download } from './download.ts';
import { callById, useChange, useEndpoint, useEndpointChange } from './endpoint.ts';
import { refusal } from './refusal.ts';
import { changeListed } from './workflows.ts';

/** A folder as the tree needs it; its workflows are those of the list whose `folder_id` it is. */
export interface FolderNode {
  id: string;
  name: string;
  description: string | null;
  parent_id: string | null;
  /** Ids of the folders directly in it. */
  children: readonly string[];
}

export type Folders = ReadonlyMap<string, FolderNode>;

const NO_FOLDERS: Folders = new Map();

/** Every folder of a tree by its id, parents before their contents. */
export function flatten(tree: readonly FolderTree[]): Folders {
  const folders = new Map<string, FolderNode>();
  const waiting = [...tree];
  for (let folder = waiting.shift(); folder; folder = waiting.shift()) {
    const { id, name, description, parent_id, children } = folder;
    folders.set(id, { id, name, description, parent_id, children: children.map((child) => child.id) });
    waiting.push(...children);
  }
  return folders;
}

/** The folder and those around it, the outermost first; empty for no folder or one that is gone. */
export function folderPath(folders: Folders, id: string | null): FolderNode[] {
  const path: FolderNode[] = [];
  for (let folder = folders.get(id ?? ''); folder; folder = folders.get(folder.parent_id ?? '')) {
    if (path.includes(folder)) break;
    path.unshift(folder);
  }
  return path;
}

/** Whether a folder is the other one or anywhere below it. */
export const isWithin = (folders: Folders, id: string, ancestor: string): boolean =>
  folderPath(folders, id).some((folder) => folder.id === ancestor);

export const useFolders = (): Folders =>
  useEndpoint(readFolderTree, {}, { select: flatten }).data ?? NO_FOLDERS;

/** Folders and the workflows in them. */
export const ALL_PLACES = [readFolderTree, listWorkflows];

export const useCreateFolder = () => useEndpointChange(createFolder, { renews: [readFolderTree] });

interface FolderChange {
  id: string;
  name?: string;
  description?: string;
  /** Null moves it to the root. */
  parent_id?: string | null;
}

export const changeFolder = ({ id, parent_id, ...body }: FolderChange) =>
  api(updateFolder, {
    params: { id },
    body: { ...body, ...(parent_id === undefined ? {} : { parent_id: parent_id ?? ROOT_FOLDER }) },
  });

export const useUpdateFolder = () => useChange(changeFolder, { renews: [readFolderTree] });

export const removeFolder = callById(deleteFolder);

export const useDeleteFolder = () => useChange(removeFolder, { renews: ALL_PLACES });

/** Shows the change at once and takes it back when the server refuses it. */
function useWorkflowPlace<Change extends { id: string }>(
  send: (change: Change) => Promise<unknown>,
  pickPart: (change: Change) => Parameters<typeof changeListed>[2],
) {
  const client = useQueryClient();
  return useChange(send, {
    onMutate: (change: Change) => changeListed(client, change.id, pickPart(change)),
    onError: (_error, _change, takeBack) => takeBack?.(),
    renewsEvenIfRefused: ALL_PLACES,
  });
}

/** Puts a workflow into a folder; null takes it out of its folder. */
export const moveWorkflow = ({ id, folder_id }: { id: string; folder_id: string | null }) =>
  folder_id === null
    ? api(removeWorkflowFromFolder, { params: { workflow_id: id } })
    : api(moveWorkflowToFolder, { params: { folder_id, workflow_id: id } });

export const useMoveWorkflow = () => useWorkflowPlace(moveWorkflow, ({ folder_id }) => ({ folder_id }));

/** §3.3: schedules a workflow for deletion, which takes it out of its folder, or restores it. */
export const setScheduled = ({ id, scheduled }: { id: string; scheduled: boolean }) =>
  api(scheduled ? scheduleDeletion : cancelDeletion, { params: { id } });

export const useScheduleDeletion = () =>
  useWorkflowPlace(setScheduled, ({ scheduled }) =>
    scheduled
      ? { scheduled_for_deletion: new Date().toISOString(), folder_id: null }
      : { scheduled_for_deletion: null },
  );

export const useImportArchive = () =>
  useChange(
    async ({ file, parent_id }: { file: File; parent_id: string | undefined }) => {
      const response = await sessionFetch(
        buildEndpointUrl(importFolder, { query: { parent_id, draft: 'true' } }),
        {
          method: importFolder.method,
          headers: { 'content-type': 'application/octet-stream' },
          body: file,
        },
      );
      if (!response.ok) throw await refusal(response);
      return (await response.json()) as FolderImport;
    },
    { renews: ALL_PLACES },
  );

export const downloadFolder = ({ id, name }: FolderNode): Promise<void> =>
  download(buildEndpointUrl(exportFolder, { params: { id } }), `${name}.zip`);
