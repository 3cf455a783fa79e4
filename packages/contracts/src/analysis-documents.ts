import { z } from 'zod';
import { idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { storedText } from './text.ts';

/** The analysis document of a workflow, shared with all users who have access to it (§5.8). */
export const analysisDocument = z
  .object({
    content: z.string(),
    /** Grows with every write; 0 while nothing has been written. */
    revision: z.number().int(),
    updated_by: z.object({ id: uuid, name: z.string() }).nullable(),
    updated_at: timestamp.nullable(),
  })
  .meta({ id: 'AnalysisDocument' });
export type AnalysisDocument = z.infer<typeof analysisDocument>;

const tag = 'Analysis documents';
/** The address says `note`, as clients of the interface expect it. */
const path = '/api/workflows/{id}/analysis-note';

export const readAnalysisDocument = endpoint({
  id: 'readAnalysisDocument',
  method: 'GET',
  path,
  tag,
  summary: 'The analysis document of a workflow',
  auth: 'session',
  params: idParams,
  response: analysisDocument,
  errors: ['not_found'],
});

export const writeAnalysisDocument = endpoint({
  id: 'writeAnalysisDocument',
  method: 'PUT',
  path,
  tag,
  summary: 'Replace the document; a stale `base_revision` is refused with the current one',
  auth: 'session',
  params: idParams,
  body: z.object({ content: storedText(1_000_000), base_revision: z.number().int().min(0) }),
  response: analysisDocument,
  errors: ['not_found', 'conflict'],
});

export const analysisDocumentEndpoints = [readAnalysisDocument, writeAnalysisDocument];
