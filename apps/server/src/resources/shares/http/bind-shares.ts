import type { teamShareEndpoints, userShareEndpoints } from '@millrace/contracts';
import type { Binder } from '../../../http/bind.ts';
import * as service from '../service.ts';
import type { Shareable } from '../shareable.ts';

/** Team shares of one kind of object: list, add, remove. */
export function bindTeamShares(
  binder: Binder,
  shareable: Shareable,
  endpoints: ReturnType<typeof teamShareEndpoints>,
): void {
  binder.json(endpoints.list, (ctx, { params }) => service.listTeamShares(ctx, shareable, params.id));
  binder.json(endpoints.add, (ctx, { params, body }) =>
    service.addTeamShare(ctx, shareable, { id: params.id, team_id: body.team_id }),
  );
  binder.json(endpoints.remove, async (ctx, { params }) => {
    await service.removeTeamShare(ctx, shareable, params);
    return undefined;
  });
}

/** User shares of one kind of object: list, add, remove. */
export function bindUserShares(
  binder: Binder,
  shareable: Shareable,
  endpoints: ReturnType<typeof userShareEndpoints>,
): void {
  binder.json(endpoints.list, (ctx, { params }) => service.listUserShares(ctx, shareable, params.id));
  binder.json(endpoints.add, (ctx, { params, body }) =>
    service.addUserShare(ctx, shareable, { id: params.id, email: body.email }),
  );
  binder.json(endpoints.remove, async (ctx, { params }) => {
    await service.removeUserShare(ctx, shareable, params);
    return undefined;
  });
}
