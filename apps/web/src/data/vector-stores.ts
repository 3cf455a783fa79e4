import {
  createVectorStore,
  deleteVectorStore,
  listVectorStores,
  updateVectorStore,
} from '@millrace/contracts';
import { callById, useChange, useEndpoint, useEndpointChange } from './endpoint.ts';

const changed = { renews: [listVectorStores] };

export const useVectorStores = () => useEndpoint(listVectorStores);

export const useCreateVectorStore = () => useEndpointChange(createVectorStore, changed);

export const useUpdateVectorStore = () => useEndpointChange(updateVectorStore, changed);

export const useDeleteVectorStore = () => useChange(callById(deleteVectorStore), changed);
