import { z } from 'zod';
import { idParams, timestamp } from './common.ts';
import { endpoint } from './endpoint.ts';
import { importWarning } from './workflows.ts';

export const importReportLine = importWarning
  .extend({
    node_id: z
      .string()
      .nullable()
      .describe('Node of the workflow that the line is about, which may be gone.'),
  })
  .meta({ id: 'ImportReportLine' });
export type ImportReportLine = z.infer<typeof importReportLine>;

/** Everything that the import of a workflow changed or left out. */
export const importReport = z
  .object({
    imported_at: timestamp,
    lines: z.array(importReportLine).describe('The most important first.'),
  })
  .meta({ id: 'ImportReport' });
export type ImportReport = z.infer<typeof importReport>;

const tag = 'Workflows';
const path = '/api/workflows/{id}/import-report';

export const readImportReport = endpoint({
  id: 'readImportReport',
  method: 'GET',
  path,
  tag,
  summary:
    'The report of the import that made the workflow; null when it was not imported, nothing was changed, or the report was dismissed',
  auth: 'session',
  params: idParams,
  response: z.object({ report: importReport.nullable() }),
  errors: ['not_found'],
});

export const dismissImportReport = endpoint({
  id: 'dismissImportReport',
  method: 'DELETE',
  path,
  tag,
  summary: 'Delete the report of the import, for everyone who can see the workflow',
  auth: 'session',
  params: idParams,
  errors: ['not_found'],
});

export const importReportEndpoints = [readImportReport, dismissImportReport];
