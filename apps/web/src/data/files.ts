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
import { type QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { download, downloadLarge } from './download.ts';
import { answersTo, endpointPages, renew, useChange, useEndpoint, useEndpointChange } from './endpoint.ts';

const PAGE = 100;

/** After files have come that no change here has made. */
export const renewFiles = (client: QueryClient) => renew(client, [listFiles]);

/** Files newest first, page by page. */
export const useFiles = (search: string) =>
  useInfiniteQuery(
    endpointPages(listFiles, {
      first: 0,
      ask: (offset) => ({ query: { search: search || undefined, limit: PAGE, offset } }),
      next: (last, pages) => {
        const known = pages.reduce((count, page) => count + page.files.length, 0);
        return last.files.length > 0 && known < last.total ? known : null;
      },
    }),
  );

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

export const useDeleteFiles = () => useEndpointChange(bulkDeleteFiles, { renewsEvenIfRefused: [listFiles] });

/** Deletes every own file. */
export const useDeleteAllFiles = () =>
  useEndpointChange(deleteAllFiles, { renewsEvenIfRefused: [listFiles] });

/** Makes an unbounded link for each of several files. */
export const useBulkLinks = () => useEndpointChange(bulkShareFiles, { renews: [listFiles, listFileLinks] });

export const useBulkTeamSharing = () => useEndpointChange(bulkTeamShareFiles, { renews: [listFiles] });

export const useFileLinks = (id: string) => useEndpoint(listFileLinks, { params: { id } });

/** Bounds of a public link; what is absent does not bound it. */
export interface LinkLimits {
  expires_hours?: number;
  max_downloads?: number;
  basic_auth_password?: string;
}

const linksChanged = (id: string) => ({ renews: [answersTo(listFileLinks, { params: { id } }), listFiles] });

export const useCreateLink = (id: string) =>
  useChange((body: LinkLimits) => api(createFileLink, { params: { id }, body }), linksChanged(id));

export const useRevokeLink = (id: string) =>
  useChange((link_id: string) => api(deleteFileLink, { params: { id, link_id } }), linksChanged(id));

export const useTeamSharing = () => useEndpointChange(setFileTeamSharing, { renews: [listFiles] });
