import * as contracts from '@millrace/contracts';
import type { FastifyRequest } from 'fastify';
import type { Binder, HandlerContext } from '../../../http/bind.ts';
import type { PortalAccess } from '../access.ts';
import type { PortalConversations } from '../conversations/service.ts';

interface Needs {
  readonly json: Binder['json'];
  readonly access: PortalAccess;
  readonly conversations: PortalConversations;
}

/** Conversations as their visitors see them: each visitor the own ones. */
export function bindConversations({ json, access, conversations }: Needs): void {
  async function resolveScope({ client_ip }: HandlerContext, slug: string, { headers }: FastifyRequest) {
    const portal = await access.requirePortal(slug, client_ip);
    const { holder } = await access.requireVisitor(portal, headers);
    return { workflow_id: portal.row.workflow_id, holder };
  }

  json(contracts.createPortalConversation, async (context, { params }, { request, reply }) => {
    reply.header('Cache-Control', 'no-store');
    return conversations.begin(await resolveScope(context, params.slug, request), context.client_ip);
  });
  json(contracts.listPortalConversations, async (context, { params, query }, { request, reply }) => {
    reply.header('Cache-Control', 'no-store');
    return conversations.list(await resolveScope(context, params.slug, request), query);
  });
  json(contracts.readPortalConversation, async (context, { params }, { request, reply }) => {
    reply.header('Cache-Control', 'no-store');
    const scope = await resolveScope(context, params.slug, request);
    return conversations.read({ ...scope, conversation_id: params.conversation_id });
  });
  json(contracts.deletePortalConversation, async (context, { params }, { request }) => {
    const scope = await resolveScope(context, params.slug, request);
    await conversations.remove({ ...scope, conversation_id: params.conversation_id });
    return undefined;
  });
}
