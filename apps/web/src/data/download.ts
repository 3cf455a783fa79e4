import { me } from '@millrace/contracts';
import { saveBlob, saveFrom } from '../lib/files/save-file.ts';
import { api, sessionFetch } from './api.ts';
import { refusal } from './refusal.ts';

/** Asks for a file with the session and saves it. Throws `ApiError`, so that no error page is saved as the file. */
export async function download(address: string, name: string, init?: RequestInit): Promise<void> {
  const response = await sessionFetch(address, init);
  if (!response.ok) throw await refusal(response);
  saveBlob(await response.blob(), name);
}

/** Lets the browser save a file of any size while it arrives. The session is made sure of first. */
export async function downloadLarge(address: string, name: string): Promise<void> {
  await api(me, {});
  saveFrom(address, name);
}
