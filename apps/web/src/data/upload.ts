import { me, uploadFile } from '@millrace/contracts';
import { buildEndpointUrl } from '@millrace/contracts/client';
import { api } from './api.ts';
import { createApiError } from './refusal.ts';
import { unreachable } from './unreachable.ts';

interface SendOptions {
  file: File;
  /** Text fields of the form, which the server reads before the file. */
  fields?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  /** Called with the share that has been sent, 0 to 1. */
  onProgress?: (share: number) => void;
}

/**
 * Sends a file as the form field `file` and returns what was answered. By XMLHttpRequest, for `fetch` does not report how much has been sent. Throws
 * `ApiError`, or an `AbortError` when the signal stopped it.
 */
export async function sendFile(
  address: string,
  { file, fields = {}, signal, onProgress }: SendOptions,
): Promise<string> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', file);
  return new Promise<string>((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(total > 0 ? loaded / total : 0);
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(request.responseText);
      else reject(createApiError(request.status, request.responseText));
    };
    request.onerror = () => void unreachable().then(reject, reject);
    request.onabort = () => reject(new DOMException('The upload was stopped.', 'AbortError'));
    request.onloadend = () => signal?.removeEventListener('abort', stop);
    signal?.addEventListener('abort', stop);
    request.open('POST', address);
    request.send(form);
  });
}

/** Sends a file with the session, which is made sure of first. Throws as `sendFile` does. */
export async function sendInSession(address: string, options: SendOptions): Promise<string> {
  await api(me, {}, options.signal ? { signal: options.signal } : {});
  return sendFile(address, options);
}

/** Sends a file to the Drive. Throws as `sendFile` does. */
export async function upload(options: SendOptions): Promise<void> {
  await sendInSession(buildEndpointUrl(uploadFile, {}), options);
}
