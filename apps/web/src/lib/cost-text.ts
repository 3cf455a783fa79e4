/** A cost in US dollars: two decimals, and for small ones as many as show two digits of it, down to a millionth. */
export function costText(cost_usd: number, locale: string): string {
  const digits =
    cost_usd === 0 || cost_usd >= 1 ? 2 : Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(cost_usd))));
  return cost_usd.toLocaleString(locale, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  });
}
