import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import { requestBaseUrl } from '../../http/request-url.ts';
import { bindTeamShares, bindUserShares } from '../shares/http/bind-shares.ts';
import { credentialShareable } from '../shares/shareable.ts';
import { listChoices } from './calls/choices.ts';
import { testCredential } from './calls/probe.ts';
import { sendSignInPage } from './http/sign-in-page.ts';
import { checkCredentialKeys, rotateCredentialKeys } from './keys.ts';
import { readModelFacts } from './models/model-facts.ts';
import { ModelLists } from './models/model-lists.ts';
import { listModels } from './models/models.ts';
import { createRenewals } from './oauth/renewals.ts';
import { endSignIn, finishSignIn, finishSignInAt, requireProvider, startSignIn } from './oauth/sign-in.ts';
import * as service from './service.ts';
import { listCredentialUses } from './uses/list-uses.ts';

const SIGNED_OUT =
  'You are signed out here. Sign in to this service in the same browser, then connect the credential again.';

/** Credentials (§2.7, §4.7). Their services are only called through the egress client. */
export function bindCredentials(binder: Binder): void {
  const { database, secrets, log, broadcast, now, egress } = binder.services;
  const access = {
    egress,
    renewals: createRenewals({ db: database.db, secrets, broadcast, now, egress }),
    model_lists: new ModelLists(now),
  };
  binder.app.addHook('onReady', async () => {
    await checkCredentialKeys({ db: database.db, secrets, log });
  });

  binder.json(contracts.listCredentials, (ctx) => service.listCredentials(ctx));
  binder.json(contracts.listAvailableCredentials, (ctx) => service.listAvailable(ctx));
  binder.json(contracts.listModelCredentials, (ctx) => service.listModelCredentials(ctx));
  binder.json(contracts.listCredentialsByType, (ctx, { params }) => service.listByTypes(ctx, [params.type]));
  binder.json(contracts.createCredential, (ctx, { body }) => service.createCredential(ctx, body));
  binder.json(contracts.testCredential, (ctx, { body }) => testCredential(ctx, access, body));
  binder.json(contracts.rotateCredentialKeys, (ctx) => rotateCredentialKeys(ctx));
  binder.json(contracts.readCredential, (ctx, { params }) => service.readCredential(ctx, params.id));
  binder.json(contracts.updateCredential, (ctx, { params, body }) =>
    service.updateCredential(ctx, { id: params.id, ...body }),
  );
  binder.json(contracts.deleteCredential, async (ctx, { params }) => {
    await service.deleteCredential(ctx, params.id);
    return undefined;
  });
  binder.json(contracts.listCredentialUses, (ctx, { params }) => listCredentialUses(ctx, params.id));
  binder.json(contracts.listCredentialModels, (ctx, { params, query }) =>
    listModels(ctx, access, { id: params.id, ...query }),
  );
  binder.json(contracts.listCredentialChoices, (ctx, { params, body }) =>
    listChoices(ctx, access, { id: params.id, ...body }),
  );
  binder.json(contracts.readModelFacts, (ctx, { params, query }) =>
    readModelFacts(ctx, { id: params.id, model: query.model }),
  );
  binder.json(contracts.readModelRouter, (ctx, { params }) => service.readModelRouter(ctx, params.id));
  binder.json(contracts.startCredentialSignIn, (ctx, { params, body }, { request }) =>
    startSignIn(ctx, egress, {
      type: requireProvider(params.provider),
      credential_id: body.credential_id,
      redirect_uri: `${requestBaseUrl(binder.services, request)}/api/credentials/${params.provider}/oauth/callback`,
    }),
  );
  binder.raw(contracts.finishCredentialSignIn, async (ctx, { params }, { request, reply }) => {
    const type = requireProvider(params.provider);
    const { actor } = ctx;
    if (!actor) return sendSignInPage(reply, { message: SIGNED_OUT });
    const query = new URL(request.url, 'http://callback').searchParams;
    return sendSignInPage(reply, await finishSignIn({ ...ctx, actor }, egress, { type, params: query }));
  });
  binder.json(contracts.finishCredentialSignInAt, (ctx, { params, body }) =>
    finishSignInAt(ctx, egress, { type: requireProvider(params.provider), address: body.address }),
  );
  binder.json(contracts.endCredentialSignIn, (ctx, { params }) => endSignIn(ctx, egress, params.id));
  bindUserShares(binder, credentialShareable, contracts.credentialUserShares);
  bindTeamShares(binder, credentialShareable, contracts.credentialTeamShares);
}
