import type { AnyEndpoint } from '@millrace/contracts';
import { AppError } from '../../../core/app-error.ts';
import { isUuid } from '../../../core/ids.ts';
import { recordAudit } from '../../../database/audit.ts';
import type { Db } from '../../../database/database.ts';
import type { Binder, HandlerContext, RawHandler } from '../../../http/bind.ts';
import { type OwnedObject, objectsByIds } from '../queries.ts';

/**
 * Refusals that say: this caller may not, or could not prove that they may. A conflict or a wrong field is a mistake,
 * not an attempt.
 */
const ATTEMPTS: ReadonlySet<string> = new Set(['forbidden', 'not_found', 'unauthenticated']);

/** Changes whose service has no object of its own to write about; by endpoint id, the action that is recorded. */
const RECORDED_HERE: Readonly<Record<string, string>> = {
  updateMe: 'account.updated',
  changePassword: 'account.password_changed',
  endSession: 'session.ended',
  cancelExecution: 'workflow.run_cancelled',
  clearResponseCache: 'workflow.cache_cleared',
  deleteHistory: 'workflow.history_deleted',
  deleteHistoryEntry: 'workflow.run_deleted',
  deleteAllHistory: 'workflow.all_history_deleted',
  deleteTraces: 'trace.all_deleted',
};

const toObjectKind = (endpoint: AnyEndpoint): string =>
  endpoint.tag.toLowerCase().replaceAll(' ', '_').replace(/s$/, '');

/** The object that the address names: its `id`, else its first id. */
function findObjectId(params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null) return undefined;
  const ids = Object.entries(params).filter(([, value]) => typeof value === 'string' && isUuid(value));
  return (ids.find(([name]) => name === 'id') ?? ids[0])?.[1];
}

async function loadObject(
  db: Db,
  params: unknown,
): Promise<{ object_id: string | undefined; object: OwnedObject | undefined }> {
  const object_id = findObjectId(params);
  const [object] = object_id === undefined ? [] : await objectsByIds(db, [object_id]);
  return { object_id, object };
}

async function recordDone(
  context: HandlerContext,
  { endpoint, params, action }: { endpoint: AnyEndpoint; params: unknown; action: string },
): Promise<void> {
  const { object_id, object } = await loadObject(context.db, params);
  await recordAudit(context.db, context, {
    action,
    object_kind: toObjectKind(endpoint),
    object_id,
    object_name: object?.name,
    owner_id: object?.owner_id,
  });
}

interface Refusal {
  readonly endpoint: AnyEndpoint;
  readonly code: string;
  /** The object that should have been changed; absent when the address names nothing. */
  readonly object_id?: string | undefined;
  readonly object?: OwnedObject | undefined;
}

/** The entry is for the owner of the object, who can see the attempt. */
const recordRefusal = (context: HandlerContext, { endpoint, code, object_id, object }: Refusal) =>
  recordAudit(context.db, context, {
    action: endpoint.id,
    object_kind: object?.kind ?? toObjectKind(endpoint),
    object_id,
    object_name: object?.name,
    owner_id: object?.owner_id,
    outcome: 'refused',
    details: { code },
  });

/** The caller is refused in any case, so a log that cannot be written is only reported to the operator. */
async function attempt(context: HandlerContext, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    context.log.error({ err: cause }, 'a refused change could not be written to the audit log');
  }
}

/** Those of the ids that are there and not the caller's to change; the others are a list that was out of date. */
export const recordRefusedIds = (
  context: HandlerContext,
  endpoint: AnyEndpoint,
  ids: readonly string[],
): Promise<void> =>
  attempt(context, async () => {
    if (ids.length === 0) return;
    for (const object of await objectsByIds(context.db, ids)) {
      await recordRefusal(context, { endpoint, code: 'forbidden', object_id: object.id, object });
    }
  });

/** An attempt by a user who is not an administrator, on something without an owner. */
export async function recordForbidden(context: HandlerContext, endpoint: AnyEndpoint): Promise<void> {
  if (endpoint.method === 'GET') return;
  await attempt(context, () => recordRefusal(context, { endpoint, code: 'forbidden' }));
}

function watched<E extends AnyEndpoint>(endpoint: E, handle: RawHandler<E>): RawHandler<E> {
  if (endpoint.method === 'GET' || (endpoint.auth !== 'session' && endpoint.auth !== 'admin')) return handle;
  const action = RECORDED_HERE[endpoint.id];
  return async (context, received, http) => {
    const { params } = received;
    try {
      const answer = await handle(context, received, http);
      if (action) await recordDone(context, { endpoint, params, action });
      return answer;
    } catch (error) {
      if (error instanceof AppError && ATTEMPTS.has(error.code)) {
        await attempt(context, async () => {
          const named = await loadObject(context.db, params);
          await recordRefusal(context, { endpoint, code: error.code, ...named });
        });
      }
      throw error;
    }
  };
}

/** Every signed-in attempt to change something that was refused leaves an audit entry, for every resource. */
export function watchChanges(binder: Binder): Binder {
  return {
    app: binder.app,
    services: binder.services,
    clientAddress: binder.clientAddress,
    readBody: binder.readBody,
    json: (endpoint, handle, guard) =>
      binder.json(endpoint, watched(endpoint, handle as RawHandler<typeof endpoint>) as typeof handle, guard),
    raw: (endpoint, handle) => binder.raw(endpoint, watched(endpoint, handle)),
  };
}
