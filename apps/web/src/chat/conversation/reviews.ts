import { isJsonObject, readText } from '@millrace/engine/json';

/** §3.4: where a paused run waits for a person. */
export interface ReviewLink {
  readonly url: string;
  readonly summary: string;
}

/** The open reviews in the outputs of a run that has paused. */
export function collectReviews(outputs: unknown): ReviewLink[] {
  if (!isJsonObject(outputs)) return [];
  return Object.values(outputs).flatMap((output) => {
    if (!isJsonObject(output)) return [];
    const { reviewUrl, summary } = output;
    if (typeof reviewUrl !== 'string' || !/^https?:\/\//.test(reviewUrl)) return [];
    return [{ url: reviewUrl, summary: readText(summary) }];
  });
}

/** The last part of the address is all that it takes to decide the review. */
export const extractToken = ({ url }: ReviewLink): string => new URL(url).pathname.split('/').at(-1) ?? '';
