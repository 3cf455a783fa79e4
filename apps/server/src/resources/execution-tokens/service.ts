import type { ExecutionToken } from '@millrace/contracts';
import { notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { executionToken, signToken } from '../../core/secrets/tokens.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Needs } from '../../services.ts';
import { requireWorkflow } from '../workflows/access.ts';
import * as queries from './queries.ts';

function tokenRecord(row: queries.ExecutionTokenRow): ExecutionToken {
  return {
    id: row.id,
    token: row.token,
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
    revoked: row.revoked_at !== null,
  };
}

/** §4.2: a token that calls this one workflow in the name of its maker. */
export async function createToken(
  ctx: Needs<'db' | 'actor' | 'secrets' | 'now'>,
  workflow_id: string,
  ttl_seconds: number,
): Promise<ExecutionToken> {
  const { row: workflow } = await requireWorkflow(ctx, workflow_id, 'read');
  const { user_id } = ctx.actor;
  const created_at = new Date(ctx.now());
  // Whole seconds, as the claim has them; rounded up so that a token lives at least as long as was asked.
  const exp = Math.ceil(ctx.now() / 1000) + ttl_seconds;
  const jti = newId();
  const claims = { sub: user_id, wid: workflow.id, scope: 'workflow:execute', jti, exp } as const;
  const row: queries.ExecutionTokenRow = {
    id: newId(),
    jti,
    workflow_id: workflow.id,
    user_id,
    token: await signToken(executionToken, claims, ctx.secrets.secret_key),
    expires_at: new Date(exp * 1000),
    revoked_at: null,
    created_at,
  };
  await ctx.db.transaction(async (tx) => {
    await queries.insertToken(tx, row);
    await recordAudit(tx, ctx, {
      action: 'execution_token.created',
      object_kind: 'workflow',
      object_id: workflow_id,
      object_name: workflow.name,
      owner_id: workflow.owner_id,
      details: { token_id: row.id, ttl_seconds },
    });
  });
  return tokenRecord(row);
}

/** Own tokens, expired and revoked ones included; a user who lost access to the workflow still sees the tokens they created. */
export async function listTokens(ctx: Needs<'db' | 'actor'>, workflow_id: string): Promise<ExecutionToken[]> {
  const rows = await queries.listTokens(ctx.db, workflow_id, ctx.actor.user_id);
  if (rows.length === 0) await requireWorkflow(ctx, workflow_id, 'read');
  return rows.map(tokenRecord);
}

/** §3.2: for good. Revoking again is no error; it ends no session (§5.2 rule 5). */
export async function revokeToken(
  ctx: Needs<'db' | 'actor' | 'broadcast' | 'now'>,
  workflow_id: string,
  id: string,
): Promise<void> {
  const own = { id, workflow_id, user_id: ctx.actor.user_id };
  await ctx.db.transaction(async (tx) => {
    if (!(await queries.ownTokenExists(tx, own))) throw notFound('Execution token');
    await queries.revokeToken(tx, own, new Date(ctx.now()));
    await recordAudit(tx, ctx, {
      action: 'execution_token.revoked',
      object_kind: 'workflow',
      object_id: workflow_id,
      details: { token_id: id },
    });
  });
  ctx.broadcast.publish('access_changed', `workflow:${workflow_id}`);
}
