import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as service from './service.ts';

/** Conversations of one person with the assistants. */
export function bindChats({ json }: Binder): void {
  json(contracts.listChats, (ctx, { query }) => service.listChats(ctx, query));
  json(contracts.createChat, (ctx, { body }) => service.createChat(ctx, body?.workflow_id ?? null));
  json(contracts.readChat, (ctx, { params }) => service.readChat(ctx, params.id));
  json(contracts.readChatAnswer, (ctx, { params }) => service.readAnswer(ctx, params));
  json(contracts.renameChat, (ctx, { params, body }) => service.renameChat(ctx, { ...params, ...body }));
  json(contracts.decideProposal, (ctx, { params, body }) =>
    service.decideProposal(ctx, { ...params, ...body }),
  );
  json(contracts.stopChat, (ctx, { params }) => service.stopChat(ctx, params.id));
  json(contracts.deleteChat, (ctx, { params }) => service.deleteChat(ctx, params.id));
}
