import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import { createPortalAccess } from './access.ts';
import * as insights from './conversations/insights.ts';
import { createPortalConversations } from './conversations/service.ts';
import * as visited from './conversations/visited.ts';
import { bindConversations } from './http/conversations.ts';
import { createPortalRuns } from './http/run.ts';
import { createPortalLogin } from './login.ts';
import * as service from './service.ts';

/** The chat portal of a workflow: what its visitors call (§4.4, §5.5), and what its owner sets. */
export function bindPortal({ services, json, raw }: Binder): void {
  const access = createPortalAccess(services);
  const login = createPortalLogin(services);
  const conversations = createPortalConversations(services);
  const runs = createPortalRuns({ services, access, conversations });
  bindConversations({ json, access, conversations });

  json(contracts.readPortalInfo, async ({ client_ip }, { params }, { reply }) => {
    reply.header('Cache-Control', 'no-store');
    return service.portalInfo(await access.requirePortal(params.slug, client_ip));
  });
  json(contracts.loginToPortal, async ({ client_ip }, { params, body }, { reply }) => {
    reply.header('Cache-Control', 'no-store');
    return login(await access.requirePortal(params.slug, client_ip), { ...body, client_ip });
  });
  raw(contracts.executePortal, ({ client_ip }, { params, body }, http) =>
    runs.execute({ ...http, client_ip, slug: params.slug }, body),
  );
  raw(contracts.streamPortal, ({ client_ip }, { params, body }, http) =>
    runs.stream({ ...http, client_ip, slug: params.slug }, body),
  );
  json(contracts.cancelPortalExecution, ({ client_ip }, { params }, http) =>
    runs.cancel({ ...http, client_ip, slug: params.slug }, params.execution_id),
  );
  raw(contracts.followPortalExecution, ({ client_ip }, { params }, http) =>
    runs.follow({ ...http, client_ip, slug: params.slug }, params.execution_id),
  );

  bindVisitors({ services, json });

  json(contracts.readPortalSettings, (context, { params }) => service.readSettings(context, params.id));
  json(contracts.updatePortalSettings, (context, { params, body }) =>
    service.updateSettings(context, params.id, body),
  );
  json(contracts.checkPortalSlug, (context, { params, query }) =>
    service.checkSlug(context, params.id, query.slug),
  );
  json(contracts.listPortalUsers, (context, { params }) => service.listUsers(context, params.id));
  json(contracts.addPortalUser, (context, { params, body }) => service.addUser(context, params.id, body));
  json(contracts.resetPortalUser, (context, { params, body }) =>
    service.resetUser(context, { workflow_id: params.id, user_id: params.user_id }, body.password),
  );
  json(contracts.endPortalUserSessions, async (context, { params }) => {
    await service.endSessions(context, { workflow_id: params.id, user_id: params.user_id });
    return undefined;
  });
  json(contracts.removePortalUser, async (context, { params }) => {
    await service.removeUser(context, { workflow_id: params.id, user_id: params.user_id });
    return undefined;
  });
}

/** The owner's view of visitors. */
function bindVisitors({ services, json }: Pick<Binder, 'services' | 'json'>): void {
  json(contracts.listWorkflowConversations, (context, { params, query }) =>
    visited.listVisited(context, params.id, query),
  );
  json(contracts.listPortalVisitors, (context, { params, query }) =>
    insights.listVisitors(context, params.id, query),
  );
  json(contracts.readPortalUsage, (context, { params, query }) =>
    insights.readUsage(context, params.id, query.days),
  );
  json(contracts.readWorkflowConversation, (context, { params }) =>
    visited.readVisited({ ...context, ...services }, params.id, params.conversation_id),
  );
  json(contracts.deleteWorkflowConversation, async (context, { params }) => {
    await visited.deleteVisited({ ...context, ...services }, params.id, params.conversation_id);
    return undefined;
  });
}
