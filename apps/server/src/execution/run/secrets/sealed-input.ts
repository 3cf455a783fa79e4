import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { RunBegin } from '../../model/run.ts';
import type { RunSecretsMask } from './secrets-mask.ts';
import type { LoggedVault, Vault } from './vault.ts';

const OPTION = 'sealed_input';

/** The values that a run starts with. */
interface StartValues {
  readonly input: Json;
  readonly options: JsonObject;
}

/** The values that a run was started with, and the secrets that are hidden wherever the run shows or stores them. */
export interface SealedInput {
  readonly input: Json;
  /** Variables that the run above passed. */
  readonly globals?: JsonObject;
  readonly secrets: Iterable<string>;
}

/**
 * The stored form of a start. In the clear it is masked (§5.8); where that changed something an option holds the values
 * encrypted, because after a crash, or on another process, nodes must get the same ones.
 *
 * @param always also where nothing is masked: the run hides secrets that its person does not have
 */
export function hideStart(
  { run_secrets }: Vault,
  start: StartValues,
  secrets: RunSecretsMask,
  { always = false }: { readonly always?: boolean } = {},
): StartValues {
  const input = secrets.mask(start.input);
  const options = secrets.mask(start.options);
  if (!always && input === start.input && options === start.options) return start;
  const { globals } = start.options;
  const sealed = run_secrets.seal(
    JSON.stringify({ input: start.input, globals, secrets: [...secrets.values] }),
  );
  return { input, options: { ...options, [OPTION]: sealed } };
}

/** Undefined when what is stored in the clear is everything, and when the key that sealed it is not configured any more. */
export function openInput(
  { run_secrets, log }: LoggedVault,
  { run_id, options }: Pick<RunBegin, 'run_id' | 'options'>,
): SealedInput | undefined {
  const sealed = options[OPTION];
  if (typeof sealed !== 'string') return undefined;
  const text = run_secrets.open(sealed);
  if (text === undefined) {
    log.error({ run_id }, 'the input of a run cannot be decrypted');
    return undefined;
  }
  // Guarantee: only `hideStart` makes such a text, and its signature was checked.
  return JSON.parse(text) as SealedInput;
}

export const hasSealedInput = ({ options }: Pick<RunBegin, 'options'>): boolean =>
  typeof options[OPTION] === 'string';

/** Variables of the run above, as `hideStart` got them. */
export function passedGlobals(options: JsonObject, sealed?: SealedInput): JsonObject | undefined {
  const passed = sealed?.globals ?? options['globals'];
  return isJsonObject(passed) ? passed : undefined;
}
