import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import { recordRefusedIds } from '../audit/http/watch.ts';
import { bindTeamShares, bindUserShares } from '../shares/http/bind-shares.ts';
import { globalVariableShareable } from '../shares/shareable.ts';
import * as service from './service.ts';

/** Variables that outlive runs: `$global` (§2.5). */
export function bindGlobalVariables(binder: Binder): void {
  const vault = binder.services.run_secrets;
  binder.json(contracts.listGlobalVariables, (ctx) => service.listVariables(ctx));
  binder.json(contracts.createGlobalVariable, (ctx, { body }) => service.createVariable(ctx, vault, body));
  binder.json(contracts.bulkDeleteGlobalVariables, async (ctx, { body }) => {
    const passed = await service.deleteVariables(ctx, body.ids);
    await recordRefusedIds(ctx, contracts.bulkDeleteGlobalVariables, passed);
    return undefined;
  });
  binder.json(contracts.readGlobalVariable, (ctx, { params }) => service.readVariable(ctx, params.id));
  binder.json(contracts.updateGlobalVariable, (ctx, { params, body }) =>
    service.updateVariable(ctx, vault, { id: params.id, ...body }),
  );
  binder.json(contracts.deleteGlobalVariable, async (ctx, { params }) => {
    await service.deleteVariable(ctx, params.id);
    return undefined;
  });
  bindUserShares(binder, globalVariableShareable, contracts.globalVariableUserShares);
  bindTeamShares(binder, globalVariableShareable, contracts.globalVariableTeamShares);
}
