import { getUploadSlot, uploadToSlot } from '@millrace/contracts';
import { buildEndpointUrl } from '@millrace/contracts/client';
import { useEndpoint } from './endpoint.ts';

const LOOK_MS = 1_500;

/** The state of a slot; looked at again until a file has come or cannot come any more. */
export const useUploadSlot = (slot_id: string) =>
  useEndpoint(
    getUploadSlot,
    { params: { slot_id } },
    { refetchInterval: ({ state }) => ((state.data?.status ?? 'pending') === 'pending' ? LOOK_MS : false) },
  );

/** A file can be sent to the slot from this page, regardless of the public name of the service. */
export const uploadAddress = (upload_url: string): string =>
  buildEndpointUrl(uploadToSlot, { params: { token: upload_url.split('/').at(-1) ?? '' } });
