import type { Services } from '../core/context.ts';
import { FernetError } from '../core/fernet.ts';
import type { RunSecrets } from '../ports/run-secrets.ts';
import { createCredentialResolver } from './credentials/run-secrets.ts';
import { keyringOf } from './credentials/sealing.ts';
import { createVariableAccess } from './global-variables/run-variables.ts';

/** What a run may read and write in the name of a person (§5.2 rule 6, §5.8). */
export function createRunSecrets(services: Pick<Services, 'database' | 'secrets' | 'now'>): RunSecrets {
  const { database, secrets, now } = services;
  const credentials = createCredentialResolver({ db: database.db, secrets });
  const variables = createVariableAccess({ db: database.db, now });
  const keyring = keyringOf(secrets);
  return {
    ...credentials,
    ...variables,
    seal: (text) => keyring.seal(text, now()),
    open(sealed) {
      try {
        return keyring.open(sealed);
      } catch (error) {
        if (error instanceof FernetError) return undefined;
        throw error;
      }
    },
  };
}
