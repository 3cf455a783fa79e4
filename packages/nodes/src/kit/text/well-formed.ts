// Otherwise a byte order mark at the start would be left out.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Half a surrogate pair has no bytes; it becomes the replacement character. */
export const wellFormed = (text: string): string => decoder.decode(new TextEncoder().encode(text));
