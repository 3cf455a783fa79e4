import * as contracts from '@millrace/contracts';
import type { Egress } from '@millrace/nodes/runtime';
import type { FastifyInstance } from 'fastify';
import type { Binder } from '../../http/bind.ts';
import { bindTeamShares, bindUserShares } from '../shares/http/bind-shares.ts';
import { credentialShareable } from '../shares/shareable.ts';
import { listChoices } from './choices.ts';
import { checkCredentialKeys, rotateCredentialKeys } from './keys.ts';
import { listModels } from './models.ts';
import { testCredential } from './probe.ts';
import * as service from './service.ts';

/** Credentials (§2.7, §4.7). Their services are only called through the egress client. */
export function bindCredentials(app: FastifyInstance, binder: Binder, egress: Egress): void {
  const { database, secrets, log } = binder.services;
  app.addHook('onReady', async () => {
    await checkCredentialKeys({ db: database.db, secrets, log });
  });

  binder.json(contracts.listCredentials, (ctx) => service.listCredentials(ctx));
  binder.json(contracts.listAvailableCredentials, (ctx) => service.listAvailable(ctx));
  binder.json(contracts.listModelCredentials, (ctx) => service.listModelCredentials(ctx));
  binder.json(contracts.listCredentialsByType, (ctx, { params }) => service.listByTypes(ctx, [params.type]));
  binder.json(contracts.createCredential, (ctx, { body }) => service.createCredential(ctx, body));
  binder.json(contracts.testCredential, (ctx, { body }) => testCredential(ctx, egress, body));
  binder.json(contracts.rotateCredentialKeys, (ctx) => rotateCredentialKeys(ctx));
  binder.json(contracts.readCredential, (ctx, { params }) => service.readCredential(ctx, params.id));
  binder.json(contracts.updateCredential, (ctx, { params, body }) =>
    service.updateCredential(ctx, { id: params.id, ...body }),
  );
  binder.json(contracts.deleteCredential, async (ctx, { params }) => {
    await service.deleteCredential(ctx, params.id);
    return undefined;
  });
  binder.json(contracts.listCredentialModels, (ctx, { params }) => listModels(ctx, egress, params.id));
  binder.json(contracts.listCredentialChoices, (ctx, { params, body }) =>
    listChoices(ctx, egress, { id: params.id, ...body }),
  );
  binder.json(contracts.readModelRouter, (ctx, { params }) => service.readModelRouter(ctx, params.id));
  bindUserShares(binder, credentialShareable, contracts.credentialUserShares);
  bindTeamShares(binder, credentialShareable, contracts.credentialTeamShares);
}
