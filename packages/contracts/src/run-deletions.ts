import { idParams, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

export const deleteAllHistory = endpoint({
  id: 'deleteAllHistory',
  method: 'DELETE',
  path: '/api/workflows/history/all',
  tag: 'Executions',
  summary: 'Delete the finished runs of every workflow that you can see',
  auth: 'session',
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
