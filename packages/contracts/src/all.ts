import { analysisNoteEndpoints } from './analysis-notes.ts';
import { auditEndpoints } from './audit.ts';
import { authEndpoints } from './auth.ts';
import { credentialEndpoints } from './credentials.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { executionTokenEndpoints } from './execution-tokens.ts';
import { executionEndpoints } from './executions.ts';
import { expressionEndpoints } from './expressions.ts';
import { fileEndpoints } from './files.ts';
import { folderEndpoints } from './folders.ts';
import { globalVariableEndpoints } from './global-variables.ts';
import { teamEndpoints } from './teams.ts';
import { allTemplateEndpoints } from './templates.ts';
import { vectorStoreEndpoints } from './vector-stores.ts';
import { workflowShareEndpoints } from './workflow-shares.ts';
import { workflowVersionEndpoints } from './workflow-versions.ts';
import { workflowEndpoints } from './workflows.ts';

/** Every endpoint of the service, resource by resource. */
export const allEndpoints: readonly AnyEndpoint[] = [
  ...authEndpoints,
  ...workflowEndpoints,
  ...workflowVersionEndpoints,
  ...executionTokenEndpoints,
  ...executionEndpoints,
  ...expressionEndpoints,
  ...teamEndpoints,
  ...credentialEndpoints,
  ...auditEndpoints,
  ...globalVariableEndpoints,
  ...folderEndpoints,
  ...workflowShareEndpoints,
  ...fileEndpoints,
  ...allTemplateEndpoints,
  ...vectorStoreEndpoints,
  ...analysisNoteEndpoints,
];
