import type { FieldProblem } from '@millrace/contracts';
import type { CredentialConfig } from '@millrace/engine/credential';
import { credentialType, modelRouterConfig } from '@millrace/nodes/credentials';
import { AppError } from '../../core/app-error.ts';
import type { Secrets } from '../../core/secrets/secrets-file.ts';
import type { Needs } from '../../services.ts';
import { type CredentialRow, visibleByIds } from './queries.ts';
import { openConfig } from './sealing.ts';

interface Option {
  readonly credential_id: string;
}

/**
 * Requires what a model router refers to (§2.7): a decision credential and model credentials that its owner can see.
 * Users the router is shared with use them through it, so access is decided here.
 */
export async function requireRouterReferences(
  ctx: Needs<'db' | 'actor'>,
  config: CredentialConfig,
): Promise<void> {
  const decision = String(config['decision_credential_id']);
  const options = config['options'] as readonly Option[];
  const ids = [...new Set([decision, ...options.map((option) => option.credential_id)])];
  const rows = await visibleByIds(ctx.db, ctx.actor.user_id, ids);
  const types = new Map(rows.map((row) => [row.credential.id, row.credential.type]));
  const problems: FieldProblem[] = [];
  const report = (loc: (string | number)[], msg: string) =>
    problems.push({ loc: ['body', 'config', ...loc], msg, type: 'value_error' });

  if (types.get(decision) !== 'decision') {
    report(['decision_credential_id'], 'is no decision model credential that you can use');
  }
  options.forEach(({ credential_id }, index) => {
    const type = types.get(credential_id);
    if (type === 'model_router')
      report(['options', index, 'credential_id'], 'is a router; routers cannot be nested');
    else if (!type || !credentialType(type)?.model) {
      report(['options', index, 'credential_id'], 'is no model credential that you can use');
    }
  });
  if (problems.length > 0) {
    throw new AppError('invalid_input', 'The model router is not valid', { detail: problems });
  }
}

/** Ids that a model router names (§2.7); none for a credential of another type. */
export function namedByRouter(secrets: Secrets, row: CredentialRow): ReadonlySet<string> {
  const config = row.type === 'model_router' ? openConfig(secrets, row) : undefined;
  const parsed = modelRouterConfig.safeParse(config);
  if (!parsed.success) return new Set();
  const { decision_credential_id, options } = parsed.data;
  return new Set([decision_credential_id, ...options.map(({ credential_id }) => credential_id)]);
}
