import { agentMemoryEndpoints } from './agent-memory.ts';
import { alertEndpoints } from './alerts.ts';
import { analysisDocumentEndpoints } from './analysis-documents.ts';
import { analyticsEndpoints } from './analytics.ts';
import { assistantEndpoints } from './assistant.ts';
import { auditEndpoints } from './audit.ts';
import { authEndpoints } from './auth.ts';
import { boardCardEndpoints } from './board-cards.ts';
import { boardEndpoints } from './boards.ts';
import { callbackEndpoints } from './callbacks.ts';
import { chatEndpoints } from './chats.ts';
import { credentialEndpoints } from './credentials.ts';
import { dataRowEndpoints } from './data-rows.ts';
import { dataTableEndpoints } from './data-tables.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { evalEndpoints } from './evals.ts';
import { executionTokenEndpoints } from './execution-tokens.ts';
import { executionEndpoints } from './executions.ts';
import { expressionEndpoints } from './expressions.ts';
import { fileIntakeEndpoints } from './file-intake.ts';
import { fileEndpoints } from './files.ts';
import { folderEndpoints } from './folders.ts';
import { globalVariableEndpoints } from './global-variables.ts';
import { importReportEndpoints } from './import-reports.ts';
import { inboxEndpoints } from './inbox.ts';
import { mcpEndpoints } from './mcp.ts';
import { oauthEndpoints } from './oauth.ts';
import { platformEventEndpoints } from './platform-events.ts';
import { portalEndpoints } from './portal.ts';
import { portalConversationEndpoints } from './portal-conversations.ts';
import { portalInsightEndpoints } from './portal-visitors.ts';
import { publishGateEndpoints } from './publish-gates.ts';
import { replayJobEndpoints } from './replay-jobs.ts';
import { reviewEndpoints } from './reviews.ts';
import { runGraphEndpoints } from './run-graphs.ts';
import { sandboxEndpoints } from './sandbox.ts';
import { skillEndpoints } from './skills.ts';
import { teamEndpoints } from './teams.ts';
import { allTemplateEndpoints } from './templates.ts';
import { traceEndpoints } from './traces.ts';
import { triggerEndpoints } from './triggers.ts';
import { vectorStoreEndpoints } from './vector-stores.ts';
import { testWebhook, webhookEndpoints } from './webhooks.ts';
import { workflowPinEndpoints } from './workflow-pins.ts';
import { workflowShareEndpoints } from './workflow-shares.ts';
import { workflowVersionEndpoints } from './workflow-versions.ts';
import { workflowEndpoints } from './workflows.ts';

/** Every endpoint of the service, resource by resource. */
export const allEndpoints: readonly AnyEndpoint[] = [
  ...authEndpoints,
  ...workflowEndpoints,
  ...workflowVersionEndpoints,
  ...publishGateEndpoints,
  ...executionTokenEndpoints,
  ...executionEndpoints,
  ...runGraphEndpoints,
  ...inboxEndpoints,
  ...analyticsEndpoints,
  ...platformEventEndpoints,
  ...replayJobEndpoints,
  ...callbackEndpoints,
  ...reviewEndpoints,
  ...sandboxEndpoints,
  ...portalEndpoints,
  ...portalConversationEndpoints,
  ...portalInsightEndpoints,
  ...expressionEndpoints,
  ...teamEndpoints,
  ...credentialEndpoints,
  ...auditEndpoints,
  ...globalVariableEndpoints,
  ...folderEndpoints,
  ...workflowShareEndpoints,
  ...fileEndpoints,
  ...fileIntakeEndpoints,
  ...allTemplateEndpoints,
  ...vectorStoreEndpoints,
  ...analysisDocumentEndpoints,
  ...importReportEndpoints,
  ...agentMemoryEndpoints,
  ...workflowPinEndpoints,
  ...traceEndpoints,
  ...triggerEndpoints,
  ...dataTableEndpoints,
  ...dataRowEndpoints,
  ...boardEndpoints,
  ...boardCardEndpoints,
  ...alertEndpoints,
  ...skillEndpoints,
  ...webhookEndpoints,
  testWebhook,
  ...mcpEndpoints,
  ...oauthEndpoints,
  ...assistantEndpoints,
  ...chatEndpoints,
  ...evalEndpoints,
];
