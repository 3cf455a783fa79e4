/** Rounds half to even on the exact binary value: 2.5 is 2, 3.5 is 4, round(2.675, 2) is 2.67. */
export function roundHalfEven(value: number, digits: number): number {
  const places = Math.trunc(digits);
  if (!Number.isFinite(value) || Math.abs(value) >= 1e21 || places > 50) return value;
  if (places < 0) return places < -21 ? 0 : roundToTens(value, 10 ** -places);
  const rounded = value.toFixed(places);
  const exact = value.toFixed(Math.min(100, places + 45));
  const tail = exact.slice(exact.length - (Math.min(100, places + 45) - places));
  if (!/^50*$/.test(tail)) return Number(rounded);
  const cut = exact.slice(0, exact.length - tail.length).replace(/\.$/, '');
  const isEven = Number(cut.at(-1)) % 2 === 0;
  return isEven ? Number(cut) : Number(rounded);
}

function roundToTens(value: number, unit: number): number {
  const scaled = value / unit;
  const lower = Math.floor(scaled);
  const above = scaled - lower;
  if (above === 0.5) return (lower % 2 === 0 ? lower : lower + 1) * unit;
  return Math.round(scaled) * unit;
}
