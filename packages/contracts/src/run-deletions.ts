import { z } from 'zod';
import { idParams, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { historyFilters } from './executions.ts';

const { search, status, trigger_source, has_unresolved_references, from, to } = historyFilters.shape;

export const deleteAllHistory = endpoint({
  id: 'deleteAllHistory',
  method: 'DELETE',
  path: '/api/workflows/history/all',
  tag: 'Executions',
  summary:
    'Delete the finished runs of every workflow that you can see, or those of them that match the filters of the list',
  auth: 'session',
  // A misspelt filter that is ignored would delete every run.
  query: z.strictObject({
    search,
    status,
    trigger_source,
    has_unresolved_references,
    from,
    to,
    workflow_id: uuid.optional(),
  }),
  errors: ['not_found'],
});

export const deleteHistory = endpoint({
  id: 'deleteHistory',
  method: 'DELETE',
  path: '/api/workflows/{id}/history',
  tag: 'Executions',
  summary: 'Delete the finished runs of a workflow',
  auth: 'session',
  params: idParams,
  errors: ['not_found'],
});

export const deleteHistoryEntry = endpoint({
  id: 'deleteHistoryEntry',
  method: 'DELETE',
  path: '/api/workflows/{id}/history/{entry_id}',
  tag: 'Executions',
  summary: 'Delete one run of a workflow that has ended',
  auth: 'session',
  params: idParams.extend({ entry_id: uuid }),
  errors: ['not_found', 'conflict'],
});

export const runDeletionEndpoints = [deleteAllHistory, deleteHistory, deleteHistoryEntry];
