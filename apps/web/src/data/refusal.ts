import type { ErrorBody } from '@millrace/contracts';
import { ApiError, errorMessage } from '@millrace/contracts/client';

/** The error that an answer which is not one of success stands for. */
export function refusalOf(status: number, text: string): ApiError {
  let body: ErrorBody | undefined;
  try {
    body = JSON.parse(text) as ErrorBody;
  } catch {
    body = undefined;
  }
  return new ApiError(status, errorMessage(body, `The server answered ${status}`), { body });
}

export const refusal = async (response: Response): Promise<ApiError> =>
  refusalOf(response.status, await response.text());
