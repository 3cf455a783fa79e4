import { type CredentialConfig, type CredentialType, readConfigText } from '@millrace/engine/credential';
import { DAY_MS } from '@millrace/engine/units';
import { credentialType } from '@millrace/nodes/credentials';
import type { Secrets } from '../../../core/secrets/secrets-file.ts';
import type { Db } from '../../../database/database.ts';
import { publishEvent } from '../../../database/platform-events.ts';
import { type CredentialRow, rowsAfter } from '../queries.ts';
import { openConfig } from '../sealing.ts';
import { mayRenew } from './token-config.ts';

/** How long before the end the owner is notified. */
const SOON_MS = 7 * DAY_MS;
const PAGE = 500;

interface Needs {
  readonly db: Db;
  readonly secrets: Secrets;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** When the sign-in ends that only a person can make anew; undefined: it does not, or not within the time. */
function endsSoon(type: CredentialType, config: CredentialConfig, now_ms: number): number | undefined {
  if (!type.oauth?.(config) || mayRenew(type, config) || readConfigText(config, 'access_token') === '')
    return undefined;
  const ends_ms = Date.parse(readConfigText(config, 'token_expiry'));
  return ends_ms > now_ms && ends_ms - now_ms <= SOON_MS ? ends_ms : undefined;
}

async function tell({ db, secrets, now }: Needs, row: CredentialRow): Promise<boolean> {
  const type = credentialType(row.type);
  const config = type?.oauth && openConfig(secrets, row);
  const ends_ms = type && config && endsSoon(type, config, now());
  if (ends_ms === undefined) return false;
  const { id, name, owner_id } = row;
  const expires_at = new Date(ends_ms).toISOString();
  await publishEvent(db, {
    name: 'credential.expiring',
    owner_id,
    workflow_id: null,
    payload: { credential_id: id, name, type: row.type, owner_id, expires_at },
    // One sign-in ends once.
    dedupe_key: `credential.expiring:${id}:${expires_at}`,
    at: new Date(now()),
  });
  return true;
}

/** Notifies owners of sign-ins that end soon and cannot be renewed by the service. Resolves to their number. */
export async function announceExpiring(needs: Needs): Promise<number> {
  let found = 0;
  for (let after: string | undefined; ; ) {
    const rows = await rowsAfter(needs.db, after, PAGE);
    for (const row of rows) if (await tell(needs, row)) found++;
    if (rows.length < PAGE) return found;
    after = rows.at(-1)?.id;
  }
}
