import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import { bindTeamShares, bindUserShares } from '../shares/http/bind-shares.ts';
import { vectorStoreShareable } from '../shares/shareable.ts';
import * as service from './service.ts';

/** Records of vector stores and their sharing (§2.5, §4.6). */
export function bindVectorStores(binder: Binder): void {
  binder.json(contracts.listVectorStores, (ctx) => service.listStores(ctx));
  binder.json(contracts.createVectorStore, (ctx, { body }) => service.createStore(ctx, body));
  binder.json(contracts.readVectorStore, (ctx, { params }) => service.readStore(ctx, params.id));
  binder.json(contracts.updateVectorStore, (ctx, { params, body }) =>
    service.updateStore(ctx, { id: params.id, ...body }),
  );
  binder.json(contracts.deleteVectorStore, async (ctx, { params }) => {
    await service.deleteStore(ctx, params.id);
    return undefined;
  });
  bindUserShares(binder, vectorStoreShareable, contracts.vectorStoreUserShares);
  bindTeamShares(binder, vectorStoreShareable, contracts.vectorStoreTeamShares);
}
