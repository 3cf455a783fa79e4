import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as service from './service.ts';

/** Execution tokens of a workflow (§4.2). */
export function bindExecutionTokens(binder: Binder): void {
  binder.json(contracts.createExecutionToken, (context, { params, body }) =>
    service.createToken(context, params.id, body.ttl_seconds),
  );
  binder.json(contracts.listExecutionTokens, (context, { params }) => service.listTokens(context, params.id));
  binder.json(contracts.revokeExecutionToken, async (context, { params }) => {
    await service.revokeToken(context, params.id, params.token_id);
    return undefined;
  });
}
