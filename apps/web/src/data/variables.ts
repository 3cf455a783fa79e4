import {
  bulkDeleteGlobalVariables,
  createGlobalVariable,
  listGlobalVariables,
  updateGlobalVariable,
} from '@millrace/contracts';
import { useEndpoint, useEndpointChange } from './endpoint.ts';

const changed = { renews: [listGlobalVariables] };

export const useVariables = () => useEndpoint(listGlobalVariables);

export const useCreateVariable = () => useEndpointChange(createGlobalVariable, changed);

export const useUpdateVariable = () =>
  useEndpointChange(updateGlobalVariable, { renewsEvenIfRefused: [listGlobalVariables] });

export const useDeleteVariables = () => useEndpointChange(bulkDeleteGlobalVariables, changed);
