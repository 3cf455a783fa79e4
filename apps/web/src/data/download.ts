import { me } from '@millrace/contracts';
import { api, sessionFetch } from './api.ts';
import { refusal } from './refusal.ts';

/** Long enough for a browser that asks where to save before it reads the bytes. */
const KEEP_MS = 60_000;

function follow(href: string, name: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
}

function saveBlob(blob: Blob, name: string): void {
  const href = URL.createObjectURL(blob);
  follow(href, name);
  setTimeout(() => URL.revokeObjectURL(href), KEEP_MS);
}

/** Gives the person a text as a file. */
export const saveText = (text: string, name: string, type = 'application/json'): void =>
  saveBlob(new Blob([text], { type }), name);

/** Asks for a file with the session and saves it. Throws `ApiError`, so that no error page is saved as the file. */
export async function download(address: string, name: string, init?: RequestInit): Promise<void> {
  const response = await sessionFetch(address, init);
  if (!response.ok) throw await refusal(response);
  saveBlob(await response.blob(), name);
}

/** Lets the browser save a file of any size while it arrives. The session is made sure of first. */
export async function downloadLarge(address: string, name: string): Promise<void> {
  await api(me, {});
  follow(address, name);
}
