import type { FastifyInstance } from 'fastify';
import type { Binder } from '../http/bind.ts';
import { installUploads } from '../http/bodies/uploads.ts';
import { bindAgentMemory } from './agent-memory/routes.ts';
import { bindAlerts } from './alerts/routes.ts';
import { bindAnalysisDocuments } from './analysis-documents/routes.ts';
import { bindAnalytics } from './analytics/routes.ts';
import { bindAssistant } from './assistant/routes.ts';
import { watchChanges } from './audit/http/watch.ts';
import { bindAudit } from './audit/routes.ts';
import { bindAuth } from './auth/routes.ts';
import { bindBoards } from './boards/routes.ts';
import { installCallbackRoutes } from './callbacks/routes.ts';
import { bindChats } from './chats/routes.ts';
import { bindCredentials } from './credentials/routes.ts';
import { bindDataTables } from './data-tables/routes.ts';
import { bindEvals } from './evals/routes.ts';
import { bindExecutionTokens } from './execution-tokens/routes.ts';
import { bindExecutions } from './executions/routes.ts';
import { bindExpressions } from './expressions/routes.ts';
import { bindFileIntake } from './file-intake/routes.ts';
import { bindFiles } from './files/routes.ts';
import { bindFolders } from './folders/routes.ts';
import { bindGlobalVariables } from './global-variables/routes.ts';
import { bindImportReports } from './import-reports/routes.ts';
import { bindInbox } from './inbox/routes.ts';
import { bindMcp } from './mcp/routes.ts';
import { bindOauth } from './oauth/routes.ts';
import { bindPlatformEvents } from './platform-events/routes.ts';
import { bindPortal } from './portal/routes.ts';
import { bindPublishGates } from './publish-gates/routes.ts';
import { bindReplayJobs } from './replay-jobs/routes.ts';
import { bindReviews } from './reviews/routes.ts';
import { bindSandbox } from './sandbox/routes.ts';
import { bindSkills } from './skills/routes.ts';
import { bindTeams } from './teams/routes.ts';
import { bindTemplates } from './templates/routes.ts';
import { bindTraces } from './traces/routes.ts';
import { bindTriggers } from './triggers/routes.ts';
import { bindVectorStores } from './vector-stores/routes.ts';
import { bindWorkflowPins } from './workflow-pins/routes.ts';
import { bindWorkflowShares } from './workflow-shares/routes.ts';
import { bindWorkflows } from './workflows/routes.ts';

/** Resources that take files. The parser of forms adds work to each request, which calls of workflows must not pay for. */
function bindUploads(binder: Binder): void {
  bindFolders(binder);
  bindFiles(binder);
  bindFileIntake(binder);
  bindVectorStores(binder);
  bindDataTables(binder);
  bindBoards(binder);
  bindSkills(binder);
}

/** Binds every resource; a new one is one line here. */
export async function bindResources(app: FastifyInstance, plain: Binder): Promise<void> {
  const binder = watchChanges(plain);
  await app.register(async (scope) => {
    await installUploads(scope);
    bindUploads(binder.within(scope));
  });
  bindAuth(binder);
  bindWorkflows(binder);
  bindPublishGates(binder);
  bindImportReports(binder);
  bindExecutionTokens(binder);
  await bindExecutions(app, binder);
  bindInbox(binder);
  bindAnalytics(app, binder);
  bindReplayJobs(binder);
  bindPlatformEvents(binder);
  await installCallbackRoutes(app, plain.services);
  bindReviews(binder);
  bindPortal(binder);
  bindExpressions(binder);
  bindSandbox(binder);
  bindTeams(binder);
  bindCredentials(app, binder, binder.services.egress);
  bindAudit(binder);
  bindGlobalVariables(binder);
  bindWorkflowShares(binder);
  bindTemplates(binder);
  bindAnalysisDocuments(binder);
  bindAgentMemory(binder);
  bindWorkflowPins(binder);
  bindTraces(binder);
  bindAlerts(binder);
  bindTriggers(binder);
  bindMcp(app, binder);
  bindOauth(binder);
  bindAssistant(app, binder);
  bindChats(binder);
  bindEvals(binder);
}
