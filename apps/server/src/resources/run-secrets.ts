import { FernetError } from '../core/secrets/fernet.ts';
import type { RunSecrets } from '../ports/run/run-secrets.ts';
import type { Services } from '../services.ts';
import { createRenewals } from './credentials/oauth/renewals.ts';
import { createCredentialResolver } from './credentials/run-secrets.ts';
import { getKeyring } from './credentials/sealing.ts';
import { createSecretSets } from './credentials/secret-sets.ts';
import { sealValue } from './global-variables/hidden-value.ts';
import { createVariableAccess, describeRefusal } from './global-variables/run-variables.ts';

/** The values that a run may read and write in the name of a person (§5.2 rule 6, §5.8). */
export function createRunSecrets(
  services: Pick<Services, 'database' | 'secrets' | 'now' | 'broadcast' | 'changes' | 'egress'>,
): RunSecrets {
  const { database, secrets, now, broadcast, changes, egress } = services;
  const renewals = createRenewals({ db: database.db, secrets, now, broadcast, egress });
  const { allSecrets, ...credentials } = createCredentialResolver({ db: database.db, secrets, renewals });
  const sets = createSecretSets({ broadcast, changes, read: allSecrets });
  const keyring = getKeyring(secrets);
  const seal = (text: string): string => keyring.seal(text, now());
  const open = (sealed: string): string | undefined => {
    try {
      return keyring.open(sealed);
    } catch (error) {
      if (error instanceof FernetError) return undefined;
      throw error;
    }
  };
  return {
    ...credentials,
    ...createVariableAccess({ db: database.db, now, open }),
    refusesGlobal: describeRefusal,
    getSecrets: sets.of,
    sealGlobal: (value, held) => sealValue({ seal }, value, held),
    seal,
    open,
  };
}
