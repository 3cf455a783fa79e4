import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';

export interface Secrets {
  /** Signs sessions, execution tokens and forms. */
  readonly secret_key: string;
  /** Encrypts credentials; the first encrypts, all decrypt. */
  readonly encryption_keys: readonly string[];
}

/** A kept secret is not what this program wrote; continuing with another would make stored credentials unreadable. */
export class DamagedSecret extends Error {
  constructor(path: string, setting: string) {
    super(
      `The stored key in ${path} is empty or incomplete. Restore it from a backup or set ${setting}. Delete the file only if nothing was encrypted with it: the next start then generates a new key.`,
    );
    this.name = 'DamagedSecret';
  }
}

const BYTES = 32;
const OURS = new RegExp(`^[0-9a-f]{${BYTES * 2}}$`);
/** A key that an operator put there; one that looks like a part of ours was cut short. */
const THEIRS = /^(?![0-9a-f]+$)[!-~]{32,}$/;

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Appears whole or not at all, also after a power cut; of several processes that make one, the first wins. */
function make(folder: string, path: string): void {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, `${randomBytes(BYTES).toString('hex')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    // Unlike a rename it fails where there is one already.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  const directory = openSync(folder, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** @param setting what may be given in its place */
function keptSecret(folder: string, name: string, setting: string): string {
  const path = join(folder, name);
  if (read(path) === undefined) make(folder, path);
  const secret = read(path) ?? '';
  if (!OURS.test(secret) && !THEIRS.test(secret)) throw new DamagedSecret(path, setting);
  return secret;
}

/** Given secrets, else those that were made at the first start and are kept in the data folder (mode 600). @throws DamagedSecret */
export function loadSecrets(config: Config): Secrets {
  const folder = join(config.DATA_DIR, 'secrets');
  if (!config.SECRET_KEY || !config.ENCRYPTION_KEY) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const current = config.ENCRYPTION_KEY ?? keptSecret(folder, 'encryption-key', 'ENCRYPTION_KEY');
  const old = (config.ENCRYPTION_KEYS_OLD ?? '').split(',').map((key) => key.trim());
  return {
    secret_key: config.SECRET_KEY ?? keptSecret(folder, 'secret-key', 'SECRET_KEY'),
    encryption_keys: [current, ...old.filter((key) => key !== '')],
  };
}
