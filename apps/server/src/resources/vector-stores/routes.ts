import * as contracts from '@millrace/contracts';
import { MEGABYTE } from '@millrace/engine/units';
import type { Binder } from '../../http/bind.ts';
import { requireFormFile } from '../../http/bodies/uploads.ts';
import { bindTeamShares, bindUserShares } from '../shares/http/bind-shares.ts';
import { vectorStoreShareable } from '../shares/shareable.ts';
import * as documents from './documents/service.ts';
import * as service from './service.ts';

/** Vector stores, their entries and their sharing (§2.5, §4.6). */
export function bindVectorStores(binder: Binder): void {
  const { services } = binder;
  binder.json(contracts.listVectorStores, (ctx) => service.listStores(services, ctx));
  binder.json(contracts.createVectorStore, (ctx, { body }) => service.createStore(services, ctx, body));
  binder.json(contracts.readVectorStore, (ctx, { params }) => service.readStore(services, ctx, params.id));
  binder.json(contracts.updateVectorStore, (ctx, { params, body }) =>
    service.updateStore(services, ctx, { id: params.id, ...body }),
  );
  binder.json(contracts.deleteVectorStore, async (ctx, { params, query }) => {
    await service.deleteStore(services, ctx, {
      id: params.id,
      with_collection: query.delete_collection === true,
    });
    return undefined;
  });
  binder.json(contracts.cloneVectorStore, (ctx, { params }) => service.cloneStore(services, ctx, params.id));
  bindEntries(binder);
  bindUserShares(binder, vectorStoreShareable, contracts.vectorStoreUserShares);
  bindTeamShares(binder, vectorStoreShareable, contracts.vectorStoreTeamShares);
}

function bindEntries(binder: Binder): void {
  const { services } = binder;
  binder.raw(contracts.uploadVectorStoreDocument, async (ctx, { params, query }, { request, reply }) => {
    const override = query.override_duplicates === true;
    const store = await service.requireUpload(ctx, { id: params.id, override });
    const max_bytes = ctx.config.FILE_MAX_SIZE_MB * MEGABYTE;
    const upload = await requireFormFile(request, max_bytes);
    const added = await documents.addDocument(services, store, {
      upload,
      uploader_id: ctx.actor.user_id,
      max_bytes,
      override,
    });
    return reply.send(contracts.documentAdded.parse(added));
  });
  binder.json(contracts.checkVectorStoreDuplicates, async (ctx, { params, body }) => {
    const { store } = await service.requireVisible(ctx, params.id);
    return documents.findDuplicates(services, store, body.files);
  });
  binder.json(contracts.listVectorStoreItems, async (ctx, { params, query }) => {
    const { store } = await service.requireVisible(ctx, params.id);
    return documents.listItems(services, store, query);
  });
  binder.json(contracts.searchVectorStore, async (ctx, { params, body }) => {
    const { store } = await service.requireVisible(ctx, params.id);
    return documents.searchStore(services, store, body);
  });
  binder.json(contracts.deleteVectorStoreSource, async (ctx, { params, query }) => {
    await service.removeEntries(services, ctx, { id: params.id, source: query.source });
    return undefined;
  });
  binder.json(contracts.deleteVectorStoreItem, async (ctx, { params }) => {
    await service.removeEntries(services, ctx, { id: params.id, point_id: params.point_id });
    return undefined;
  });
}
