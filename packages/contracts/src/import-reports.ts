import { z } from 'zod';
import { idParams, timestamp } from './common.ts';
import { endpoint, GRAPH_BODY_BYTES } from './endpoint.ts';
import { graphEdge, graphNode } from './graph.ts';
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

export const convertWorkflow = endpoint({
  id: 'convertWorkflow',
  method: 'POST',
  path: '/api/workflows/convert',
  tag,
  summary:
    'Read an exported file as an import does, an export of n8n as well, and answer its nodes and connections, with what was changed or left out; nothing is stored',
  auth: 'session',
  body_limit: GRAPH_BODY_BYTES,
  body: z.object({ document: z.looseObject({}) }),
  response: z.object({
    nodes: z.array(graphNode),
    edges: z.array(graphEdge),
    report: importReport.nullable().describe('Null when nothing was changed.'),
  }),
});

export const importReportEndpoints = [readImportReport, dismissImportReport, convertWorkflow];
