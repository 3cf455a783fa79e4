/** A field of the data as JavaScript writes it. */
export const toAccessCode = (field: string): string =>
  field
    .split('.')
    .map((key) => `[${JSON.stringify(key)}]`)
    .join('');
