const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  copy: '©',
  euro: '€',
};

const MAX_CODE_POINT = 0x10_ff_ff;

function character(code: string): string | undefined {
  const point = /^x/i.test(code) ? Number.parseInt(code.slice(1), 16) : Number.parseInt(code, 10);
  return point > 0 && point <= MAX_CODE_POINT ? String.fromCodePoint(point) : undefined;
}

/** The common character references of HTML as characters; unknown ones stay as they are written. */
export const withoutEntities = (text: string): string =>
  text.replace(
    /&(?:#(x[\da-f]{1,6}|\d{1,7})|([a-z]{2,6}));/gi,
    (whole, code: string | undefined, name: string | undefined) =>
      (code === undefined ? NAMED[name ?? ''] : character(code)) ?? whole,
  );
