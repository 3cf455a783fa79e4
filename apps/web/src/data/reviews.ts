import { decideReview, type ReviewDecision, readReview } from '@millrace/contracts';
import { ApiError, api } from './api.ts';
import { useChange, useEndpoint } from './endpoint.ts';

/** Why a review can be decided no more; `unknown` for a link that opens none, for instance of a deleted workflow. */
export type ReviewClosed = 'decided' | 'expired' | 'ended' | 'unknown';

const REASONS: readonly string[] = ['decided', 'expired', 'ended'];
const isReason = (value: unknown): value is ReviewClosed =>
  typeof value === 'string' && REASONS.includes(value);

/** The refusal as the reason for it; undefined for anything that trying again may help against. */
export function closedBy(error: unknown): ReviewClosed | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.status === 404) return 'unknown';
  const detail = error.body?.detail;
  if (typeof detail !== 'object' || Array.isArray(detail)) return undefined;
  return isReason(detail['reason']) ? detail['reason'] : undefined;
}

export const useReview = (token: string) =>
  useEndpoint(
    readReview,
    { params: { token } },
    // A review does not change under the hands of a person who reads and edits it.
    { staleTime: Infinity },
  );

export const useDecideReview = (token: string) =>
  useChange(
    (body: ReviewDecision) => api(decideReview, { params: { token }, body }),
    // A person whose line is down learns it now, instead of looking at a spinner until it is back.
    { networkMode: 'always' },
  );
