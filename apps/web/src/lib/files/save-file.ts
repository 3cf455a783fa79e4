/** Long enough for a browser that asks where to save before it reads the bytes. */
const KEEP_MS = 60_000;

/** Has the browser save what is at an address. */
export function saveFrom(href: string, name: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
}

/** Gives the person some bytes as a file. */
export function saveBlob(blob: Blob, name: string): void {
  const href = URL.createObjectURL(blob);
  saveFrom(href, name);
  setTimeout(() => URL.revokeObjectURL(href), KEEP_MS);
}

/** Gives the person a text as a file. */
export const saveText = (text: string, name: string, type = 'application/json'): void =>
  saveBlob(new Blob([text], { type }), name);
