import { secretsOf } from '@millrace/engine/credential';
import { credentialType, modelRouterConfig } from '@millrace/nodes/credentials';
import type { Secrets } from '../../core/secrets-file.ts';
import type { Db } from '../../database/database.ts';
import type { ResolvedCredential } from '../../ports/run-secrets.ts';
import * as queries from './queries.ts';
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

function resolve(secrets: Secrets, row: queries.CredentialRow): ResolvedCredential | undefined {
  const type = credentialType(row.type);
  const config = type && openConfig(secrets, row);
  if (!config) return undefined;
  const expression_value = type.expression(config);
  // §5.8 masks the value that expressions read too, for example a whole header line.
  const values = [...secretsOf(type, config), ...(expression_value ? [expression_value] : [])];
  return guarded(row, { expression_value, config: { ...config }, secrets: [...new Set(values)] });
}

/** Ids that a model router names (§2.7); none for a credential of another type. */
function namedByRouter(secrets: Secrets, row: queries.CredentialRow): ReadonlySet<string> {
  const config = row.type === 'model_router' ? openConfig(secrets, row) : undefined;
  const parsed = modelRouterConfig.safeParse(config);
  if (!parsed.success) return new Set();
  const { decision_credential_id, options } = parsed.data;
  return new Set([decision_credential_id, ...options.map(({ credential_id }) => credential_id)]);
}

/** Credentials of one person for a run (§5.8): owned, shared with them and with their teams, merged by name. */
export function createCredentialResolver({ db, secrets }: { db: Db; secrets: Secrets }) {
  return {
    async credentialsByName(
      user_id: string,
      names: readonly string[] | null,
    ): Promise<ReadonlyMap<string, ResolvedCredential>> {
      const resolved = new Map<string, ResolvedCredential>();
      if (names?.length === 0) return resolved;
      for (const row of await queries.resolveNames(db, user_id, names ?? undefined)) {
        const credential = resolve(secrets, row);
        if (credential) resolved.set(row.name, credential);
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
      through?: string,
    ): Promise<ResolvedCredential | undefined> {
      const row = await queries.visibleById(db, user_id, id);
      if (row) return resolve(secrets, row.credential);
      const router = through === undefined ? undefined : await queries.visibleById(db, user_id, through);
      if (!router || !namedByRouter(secrets, router.credential).has(id)) return undefined;
      const granted = await queries.visibleById(db, router.credential.owner_id, id);
      return granted && resolve(secrets, granted.credential);
    },
  };
}
