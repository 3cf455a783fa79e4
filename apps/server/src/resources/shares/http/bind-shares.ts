import type {
  emailInput,
  teamInput,
  teamShare,
  teamShareEndpoints,
  userShare,
  userShareEndpoints,
} from '@millrace/contracts';
import type { Binder } from '../../../http/bind.ts';
import * as service from '../service.ts';
import type { Shareable } from '../shareable.ts';

/** Team shares of one kind of object: list, add, remove. */
export function bindTeamShares(
  binder: Binder,
  shareable: Shareable,
  endpoints: ReturnType<typeof teamShareEndpoints<typeof teamShare, typeof teamInput>>,
): void {
  binder.json(endpoints.list, (ctx, { params }) => service.listTeamShares(ctx, shareable, params.id));
  binder.json(endpoints.add, (ctx, { params, body }) =>
    service.addTeamShare(ctx, shareable, { ...body, id: params.id }),
  );
  binder.json(endpoints.remove, async (ctx, { params }) => {
    await service.removeTeamShare(ctx, shareable, params);
    return undefined;
  });
  binder.json(endpoints.removeNamed, async (ctx, { params, body }) => {
    await service.removeTeamShare(ctx, shareable, { ...body, id: params.id });
    return undefined;
  });
}

/** User shares of one kind of object: list, add, remove, leave. */
export function bindUserShares(
  binder: Binder,
  shareable: Shareable,
  endpoints: ReturnType<typeof userShareEndpoints<typeof userShare, typeof emailInput>>,
): void {
  binder.json(endpoints.list, (ctx, { params }) => service.listUserShares(ctx, shareable, params.id));
  binder.json(endpoints.add, (ctx, { params, body }) =>
    service.addUserShare(ctx, shareable, { ...body, id: params.id }),
  );
  binder.json(endpoints.remove, async (ctx, { params }) => {
    await service.removeUserShare(ctx, shareable, params);
    return undefined;
  });
  binder.json(endpoints.leave, async (ctx, { params }) => {
    await service.leave(ctx, shareable, params.id);
    return undefined;
  });
}
