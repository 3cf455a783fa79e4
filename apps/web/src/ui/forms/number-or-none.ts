/** A decimal comma, which people write where their keyboard has one. `1,000` is left alone: it may mean a thousand. */
const DECIMAL_COMMA = /^(\d*),(\d{1,2})$/;

/** The number that was typed; null for an empty field, NaN for anything else. */
export function numberOrNone(text: string): number | null {
  const typed = text.trim();
  return typed === '' ? null : Number(typed.replace(DECIMAL_COMMA, '$1.$2'));
}
