import type { Json, JsonObject } from '@millrace/engine';
import type { RunBegin } from '../journal/journal.ts';
import type { RunEnvironment } from './environment.ts';
import type { RunSecretsMask } from './secrets.ts';

const OPTION = 'sealed_input';

/** The input as it came, and the secrets that are hidden wherever the run shows or stores it. */
export interface SealedInput {
  readonly input: Json;
  readonly secrets: Iterable<string>;
}

/**
 * An option of a run whose input holds a secret. What is stored in the clear is masked (§5.8), but after a crash, or on
 * another process, nodes must get the same values.
 */
export function sealInput(
  { run_secrets }: Pick<RunEnvironment, 'run_secrets'>,
  input: Json,
  secrets: RunSecretsMask,
): JsonObject {
  return { [OPTION]: run_secrets.seal(JSON.stringify({ input, secrets: [...secrets.values] })) };
}

/**
 * Undefined when the stored input is the whole input, and when the key that sealed it is not configured any more: then the
 * run goes on with what is stored, and the log says so.
 */
export function openInput(
  { run_secrets, log }: Pick<RunEnvironment, 'run_secrets' | 'log'>,
  { run_id, options }: Pick<RunBegin, 'run_id' | 'options'>,
): SealedInput | undefined {
  const sealed = options[OPTION];
  if (typeof sealed !== 'string') return undefined;
  const text = run_secrets.open(sealed);
  if (text === undefined) {
    log.error({ run_id }, 'the input of a run cannot be decrypted; it goes on with the masked one');
    return undefined;
  }
  // Guarantee: only `sealInput` makes such a text, and its signature was checked.
  return JSON.parse(text) as { input: Json; secrets: string[] };
}
