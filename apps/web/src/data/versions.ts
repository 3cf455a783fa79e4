import { diffVersion, listVersions, type Workflow } from '@millrace/contracts';
import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

const MOST_LISTED = 100;

/** Published versions, the newest first. */
export const useVersions = ({ id, version_id }: Workflow) =>
  useQuery({
    queryKey: keys.workflowVersions(id, version_id),
    queryFn: () => api(listVersions, { params: { id }, query: { limit: MOST_LISTED, current: 'true' } }),
  });

/** The differences between a published version and the draft as the server has it. */
export const useDraftDiff = ({ id, updated_at }: Workflow, version_id: string, enabled = true) =>
  useQuery({
    queryKey: keys.draftDiff(id, version_id, updated_at),
    queryFn: () => api(diffVersion, { params: { id, version_id }, query: { compare_to: 'draft' } }),
    enabled,
  });
