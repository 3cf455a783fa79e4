import { NodeFailure } from '@millrace/engine';
import { type CredentialConfig, collectSecrets } from '@millrace/engine/credential';
import { credentialType } from '@millrace/nodes/credentials';
import type { Secrets } from '../../core/secrets/secrets-file.ts';
import type { Db } from '../../database/database.ts';
import type { CredentialUse, ResolvedCredential } from '../../ports/run/run-secrets.ts';
import type { FreshOptions, Renewals } from './oauth/renewals.ts';
import * as queries from './queries.ts';
import { namedByRouter } from './router.ts';
import { openConfig } from './sealing.ts';
import type { StoredSecrets } from './secret-sets.ts';

/** Prints as its name wherever something logs or stores it by mistake; the secret part is not enumerable. */
function guarded(
  row: queries.CredentialRow,
  parts: Omit<ResolvedCredential, 'id' | 'name' | 'type'>,
): ResolvedCredential {
  const shown = { id: row.id, name: row.name, type: row.type };
  const hidden = Object.fromEntries(
    Object.entries(parts).map(([key, value]) => [key, { value, enumerable: false }]),
  );
  return Object.freeze(Object.defineProperties(shown, hidden)) as ResolvedCredential;
}

function resolve(
  secrets: Secrets,
  row: queries.CredentialRow,
  renewed?: CredentialConfig,
): ResolvedCredential | undefined {
  const type = credentialType(row.type);
  const config = type && (renewed ?? openConfig(secrets, row));
  if (!config) return undefined;
  const expression_value = type.expression(config);
  // §5.8 masks the value that expressions read too, for example a whole header line.
  const values = [...collectSecrets(type, config), ...(expression_value ? [expression_value] : [])];
  return guarded(row, { expression_value, config: { ...config }, secrets: [...new Set(values)] });
}

interface ResolverServices {
  readonly db: Db;
  readonly secrets: Secrets;
  readonly renewals: Renewals;
}

/** Credentials of one person for a run (§5.8): owned, shared with them and with their teams, merged by name. */
export function createCredentialResolver({ db, secrets, renewals }: ResolverServices) {
  /** With a token that lasts. @throws NodeFailure when there is none to be had */
  async function resolveFresh(
    row: queries.CredentialRow,
    options?: FreshOptions,
  ): Promise<ResolvedCredential | undefined> {
    const config = openConfig(secrets, row);
    return config && resolve(secrets, row, await renewals.fresh(row, config, options));
  }

  /** A run does not fail at its start because of a credential that it may not use; the service refuses an old token. */
  async function resolveIfFresh(row: queries.CredentialRow): Promise<ResolvedCredential | undefined> {
    try {
      return await resolveFresh(row);
    } catch (error) {
      if (error instanceof NodeFailure) return resolve(secrets, row);
      throw error;
    }
  }

  return {
    async credentialsByName(
      user_id: string,
      names: readonly string[] | null,
    ): Promise<ReadonlyMap<string, ResolvedCredential>> {
      const resolved = new Map<string, ResolvedCredential>();
      if (names?.length === 0) return resolved;
      const rows = await queries.resolveNames(db, user_id, names ?? undefined);
      for (const credential of await Promise.all(rows.map(resolveIfFresh))) {
        if (credential) resolved.set(credential.name, credential);
      }
      return resolved;
    },
    /** Secret values of every credential that the person can resolve by name or id. */
    async allSecrets(user_id: string): Promise<StoredSecrets> {
      const rows = await queries.visibleRows(db, user_id);
      return {
        // A token is never made twice, so equal tokens hold equal values.
        fingerprint: rows
          .map(({ encrypted_config }) => encrypted_config)
          .toSorted()
          .join(' '),
        values: () => rows.flatMap((row) => resolve(secrets, row)?.secrets ?? []),
      };
    },
    async credentialById(
      user_id: string,
      id: string,
      { through, refused }: CredentialUse = {},
    ): Promise<ResolvedCredential | undefined> {
      const options = refused === undefined ? {} : { refused };
      const row = await queries.visibleById(db, user_id, id);
      if (row) return resolveFresh(row.credential, options);
      const router = through === undefined ? undefined : await queries.visibleById(db, user_id, through);
      if (!router || !namedByRouter(secrets, router.credential).has(id)) return undefined;
      const granted = await queries.visibleById(db, router.credential.owner_id, id);
      return granted && resolveFresh(granted.credential, options);
    },
  };
}
