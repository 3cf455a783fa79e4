import type { ErrorBody } from '@millrace/contracts';
import { ApiError, errorMessage } from '@millrace/contracts/client';

/** The error that an answer which is not one of success stands for. */
export function createApiError(status: number, text: string): ApiError {
  let body: ErrorBody | undefined;
  try {
    body = JSON.parse(text) as ErrorBody;
  } catch {
    body = undefined;
  }
  return new ApiError(status, errorMessage(body, `The server answered ${status}`), { body });
}

export const refusal = async (response: Response): Promise<ApiError> =>
  createApiError(response.status, await response.text());

/** Whether a call named a person by an address that no account has; what the call was about is there. */
export const isUnknownPerson = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404 && error.body?.field === 'email';

/** Whether a call asked for something that is not there: also an address with an id of a form that no id has. */
export function isNotFound(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 404) return true;
  const detail = error.body?.detail;
  return error.status === 422 && Array.isArray(detail) && detail.every(({ loc }) => loc[0] === 'path');
}
