import type { Logger } from 'pino';
import type { RunSecrets } from '../../../ports/run/run-secrets.ts';

/** Seals what is stored of a run beside its masked form. */
export interface Vault {
  readonly run_secrets: RunSecrets;
}

/** Opens it again; reports a failure. */
export interface LoggedVault extends Vault {
  readonly log: Logger;
}
