import { createMasker } from '@millrace/engine';
import type { RunSecrets } from '../../ports/run/run-secrets.ts';

/**
 * A value as it is stored: what people see, and beside it, encrypted, the value itself when that differs because it holds a
 * credential value (§5.8).
 */
export interface HiddenValue {
  readonly value: unknown;
  readonly sealed_value: string | null;
}

/** The content of `sealed_value`. */
export interface RevealedValue {
  readonly value: unknown;
  /** Credential values in it; readers who cannot resolve these credentials themselves hide them too. */
  readonly secrets: readonly string[];
}

/** @param secrets what `mask` hides */
export function hideValue(
  { seal }: Pick<RunSecrets, 'seal'>,
  { mask, secrets }: { mask: (value: unknown) => unknown; secrets: Iterable<string> },
  value: unknown,
): HiddenValue {
  const shown = mask(value);
  if (shown === value) return { value, sealed_value: null };
  return { value: shown, sealed_value: sealValue({ seal }, value, secrets) };
}

export function sealValue(
  { seal }: Pick<RunSecrets, 'seal'>,
  value: unknown,
  secrets: Iterable<string>,
): string {
  const held = [...secrets].filter((secret) => createMasker([secret]).mask(value) !== value);
  const revealed: RevealedValue = { value, secrets: held };
  return seal(JSON.stringify(revealed));
}

/** The value itself; what people see when no configured key opens it. */
export function revealValue({ open }: Pick<RunSecrets, 'open'>, stored: HiddenValue): RevealedValue {
  const text = stored.sealed_value === null ? undefined : open(stored.sealed_value);
  // Guarantee: only `hideValue` makes such a text, and its signature was checked.
  return text === undefined ? { value: stored.value, secrets: [] } : (JSON.parse(text) as RevealedValue);
}
