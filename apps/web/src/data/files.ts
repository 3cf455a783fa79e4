import {
  bulkDeleteFiles,
  bulkDownloadFiles,
  bulkShareFiles,
  bulkTeamShareFiles,
  createFileLink,
  type DriveFile,
  deleteAllFiles,
  deleteFileLink,
  downloadFile,
  listFileLinks,
  listFiles,
  setFileTeamSharing,
} from '@millrace/contracts';
import { buildEndpointUrl } from '@millrace/contracts/client';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { download, downloadLarge } from './download.ts';
import { keys } from './keys.ts';

const PAGE = 100;

/** Files newest first, page by page. */
export const useFiles = (search: string) =>
  useInfiniteQuery({
    queryKey: [...keys.files, search],
    queryFn: ({ pageParam, signal }) => {
      const words = search === '' ? {} : { search };
      return api(listFiles, { query: { ...words, limit: PAGE, offset: pageParam } }, { signal });
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const known = pages.reduce((count, page) => count + page.files.length, 0);
      return last.files.length > 0 && known < last.total ? known : null;
    },
  });

export const saveFile = (file: DriveFile): Promise<void> =>
  // Not the address of the record: that one begins with the public address of the service, where the session may not be.
  downloadLarge(buildEndpointUrl(downloadFile, { params: { id: file.id } }), file.filename);

/** Saves several files as one archive. */
export const saveFiles = (file_ids: readonly string[]): Promise<void> =>
  download(buildEndpointUrl(bulkDownloadFiles, {}), 'files.zip', {
    method: bulkDownloadFiles.method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ file_ids }),
  });

export function useDeleteFiles() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (file_ids: string[]) => api(bulkDeleteFiles, { body: { file_ids } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.files }),
  });
}

/** Deletes every own file. */
export function useDeleteAllFiles() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (_: undefined) => api(deleteAllFiles, {}),
    onSettled: () => client.invalidateQueries({ queryKey: keys.files }),
  });
}

/** Makes an unbounded link for each of several files. */
export function useBulkLinks() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (file_ids: string[]) => api(bulkShareFiles, { body: { file_ids } }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.files }),
        client.invalidateQueries({ queryKey: keys.allFileLinks }),
      ]),
  });
}

export function useBulkTeamSharing() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { file_ids: string[]; enabled: boolean }) => api(bulkTeamShareFiles, { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.files }),
  });
}

export const useFileLinks = (id: string) =>
  useQuery({ queryKey: keys.fileLinks(id), queryFn: () => api(listFileLinks, { params: { id } }) });

/** Bounds of a public link; what is absent does not bound it. */
export interface LinkLimits {
  expires_hours?: number;
  max_downloads?: number;
  basic_auth_password?: string;
}

function useLinkChange<Change>(id: string, send: (change: Change) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.fileLinks(id) }),
        client.invalidateQueries({ queryKey: keys.files }),
      ]),
  });
}

export const useCreateLink = (id: string) =>
  useLinkChange(id, (body: LinkLimits) => api(createFileLink, { params: { id }, body }));

export const useRevokeLink = (id: string) =>
  useLinkChange(id, (link_id: string) => api(deleteFileLink, { params: { id, link_id } }));

export function useTeamSharing() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, enabled }: { id: string; enabled: boolean }) =>
      api(setFileTeamSharing, { params: { id }, body: { enabled } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.files }),
  });
}
