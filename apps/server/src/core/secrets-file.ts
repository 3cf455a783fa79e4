import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';

export interface Secrets {
  /** Signs sessions, execution tokens and forms. */
  readonly secret_key: string;
  /** Encrypts credentials; the first encrypts, all decrypt. */
  readonly encryption_keys: readonly string[];
}

function keptSecret(folder: string, name: string): string {
  const path = join(folder, name);
  if (!existsSync(path))
    writeFileSync(path, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  return readFileSync(path, 'utf8').trim();
}

/** Given secrets, else those that were made at the first start and are kept in the data folder (mode 600). */
export function loadSecrets(config: Config): Secrets {
  const folder = join(config.DATA_DIR, 'secrets');
  if (!config.SECRET_KEY || !config.ENCRYPTION_KEY) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const current = config.ENCRYPTION_KEY ?? keptSecret(folder, 'encryption-key');
  const old = (config.ENCRYPTION_KEYS_OLD ?? '').split(',').map((key) => key.trim());
  return {
    secret_key: config.SECRET_KEY ?? keptSecret(folder, 'secret-key'),
    encryption_keys: [current, ...old.filter((key) => key !== '')],
  };
}
