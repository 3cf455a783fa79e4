import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as service from './service.ts';

/** Teams and their members (§4.6). */
export function bindTeams(binder: Binder): void {
  binder.json(contracts.listTeams, (ctx) => service.listTeams(ctx));
  binder.json(contracts.createTeam, (ctx, { body }) => service.createTeam(ctx, body));
  binder.json(contracts.readTeam, (ctx, { params }) => service.readTeam(ctx, params.id));
  binder.json(contracts.listTeamSharedEntities, (ctx, { params }) =>
    service.listSharedEntities(ctx, params.id),
  );
  binder.json(contracts.updateTeam, (ctx, { params, body }) =>
    service.updateTeam(ctx, { id: params.id, ...body }),
  );
  binder.json(contracts.deleteTeam, async (ctx, { params }) => {
    await service.deleteTeam(ctx, params.id);
    return undefined;
  });
  binder.json(contracts.addTeamMember, (ctx, { params, body }) =>
    service.addMember(ctx, { id: params.id, email: body.email }),
  );
  binder.json(contracts.removeTeamMember, (ctx, { params }) => service.removeMember(ctx, params));
}
