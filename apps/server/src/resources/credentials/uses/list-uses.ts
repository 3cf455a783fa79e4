import type { CredentialUse, CredentialUses } from '@millrace/contracts';
import { and, eq, inArray } from 'drizzle-orm';
import { boards, credentials, vectorStores } from '../../../database/schema/index.ts';
import type { Needs } from '../../../services.ts';
import { listGrantees } from '../../shares/service.ts';
import { credentialShareable } from '../../shares/shareable.ts';
import { namedByRouter } from '../router.ts';
import { requireUsable } from '../service.ts';
import { findWorkflowUses, type Search } from './workflow-uses.ts';

type Reader = Needs<'db' | 'actor' | 'secrets'>;
type Found = CredentialUse & { readonly owner_id: string };

/** Routers, boards and vector stores: only their owners see which credential they use. */
async function listOwnedUses({ db, secrets }: Reader, { credential, user_ids }: Search): Promise<Found[]> {
  const { id } = credential;
  const owners = [...user_ids];
  const isRouter = and(eq(credentials.type, 'model_router'), inArray(credentials.owner_id, owners));
  const [routers, mapped, stores] = await Promise.all([
    db.select().from(credentials).where(isRouter),
    db.select().from(boards).where(eq(boards.mapper_credential_id, id)),
    db.select().from(vectorStores).where(eq(vectorStores.credential_id, id)),
  ]);
  const toUse =
    (kind: CredentialUse['kind']) =>
    (row: { id: string; name: string; owner_id: string }): Found => ({
      kind,
      id: row.id,
      name: row.name,
      owner_id: row.owner_id,
    });
  return [
    ...routers.filter((row) => namedByRouter(secrets, row).has(id)).map(toUse('model_router')),
    ...mapped.map(toUse('board')),
    ...stores.map(toUse('vector_store')),
  ];
}

/**
 * Where the credential is used, so that a deletion can show what it breaks. Only what the actor can see is named; the
 * owner of the credential learns of how many others there are.
 */
export async function listCredentialUses(ctx: Reader, id: string): Promise<CredentialUses> {
  const { credential, rank } = await requireUsable(ctx, id);
  const grantees = await listGrantees(ctx.db, credentialShareable, id);
  const actor_id = ctx.actor.user_id;
  const counts_hidden = rank === 0;
  const search = { credential, actor_id, user_ids: [credential.owner_id, ...grantees], counts_hidden };
  const found = await findWorkflowUses(ctx.db, search);
  const owned = await listOwnedUses(ctx, search);
  const items: CredentialUse[] = [
    ...found.uses
      .filter(({ is_visible }) => is_visible)
      .map((use): CredentialUse => ({ kind: 'workflow', id: use.id, name: use.name })),
    ...owned
      .filter(({ owner_id }) => owner_id === actor_id)
      .map(({ kind, ...use }) => ({ kind, id: use.id, name: use.name })),
  ];
  const all = found.uses.length + owned.length;
  return {
    items: items.sort((a, b) => a.name.localeCompare(b.name)),
    hidden_count: counts_hidden ? all - items.length : 0,
    has_more: found.has_more,
  };
}
