import { diffVersion, listVersions, type Workflow } from '@millrace/contracts';
import { useEndpoint } from './endpoint.ts';

const MOST_LISTED = 100;

/** Published versions, the newest first. */
export const useVersions = ({ id, version_id }: Workflow) =>
  useEndpoint(
    listVersions,
    { params: { id }, query: { limit: MOST_LISTED, current: 'true' } },
    { edition: version_id },
  );

/** The differences between a published version and the draft as the server has it. */
export const useDraftDiff = ({ id, updated_at }: Workflow, version_id: string, enabled = true) =>
  useEndpoint(
    diffVersion,
    { params: { id, version_id }, query: { compare_to: 'draft' } },
    { edition: updated_at, enabled },
  );
