import type { FastifyInstance } from 'fastify';
import type { Binder } from '../http/bind.ts';
import { installUploads } from '../http/bodies/uploads.ts';
import { bindAnalysisNotes } from './analysis-notes/routes.ts';
import { bindAudit } from './audit/routes.ts';
import { watchChanges } from './audit/watch.ts';
import { bindAuth } from './auth/routes.ts';
import { bindCredentials } from './credentials/routes.ts';
import { bindExecutionTokens } from './execution-tokens/routes.ts';
import { bindExecutions } from './executions/routes.ts';
import { bindExpressions } from './expressions/routes.ts';
import { bindFiles } from './files/routes.ts';
import { bindFolders } from './folders/routes.ts';
import { bindGlobalVariables } from './global-variables/routes.ts';
import { bindTeams } from './teams/routes.ts';
import { bindTemplates } from './templates/routes.ts';
import { bindVectorStores } from './vector-stores/routes.ts';
import { bindWorkflowShares } from './workflow-shares/routes.ts';
import { bindWorkflows } from './workflows/routes.ts';

/** Binds every resource; a new one is one line here. */
export async function bindResources(app: FastifyInstance, plain: Binder): Promise<void> {
  const binder = watchChanges(plain);
  await installUploads(app);
  bindAuth(binder);
  bindWorkflows(binder);
  bindExecutionTokens(binder);
  await bindExecutions(app, binder);
  bindExpressions(binder);
  bindTeams(binder);
  bindCredentials(app, binder, binder.services.egress);
  bindAudit(binder);
  bindGlobalVariables(binder);
  bindFolders(binder);
  bindWorkflowShares(binder);
  bindFiles(binder);
  bindTemplates(binder);
  bindVectorStores(binder);
  bindAnalysisNotes(binder);
}
