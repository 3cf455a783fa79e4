import type { JsonObject } from '@millrace/engine';
import { untilOption } from './part.ts';
import type { RunRequest } from './run-request.ts';

type Started = Pick<RunRequest, 'workflow' | 'test_run' | 'until'>;

export const isOfDraft = ({ workflow }: Pick<Started, 'workflow'>): boolean =>
  workflow.version.number === null;

/** A run that ends at a node counts as one of the draft, even when the draft equals what is published. */
const triesDraft = ({ workflow, until }: Started): boolean => isOfDraft({ workflow }) || until !== undefined;

/** Concerns only the person who started it: a test run, or a run of a draft. */
export const isTrial = (started: Started): boolean => started.test_run === true || triesDraft(started);

/** Stored as options of a trial. Lists of runs go by them, because a draft may be deleted before its runs are. */
export const trialOptions = (started: Started): JsonObject => ({
  ...(started.test_run === true ? { test_run: true } : {}),
  ...(triesDraft(started) ? { of_draft: true } : {}),
  ...(started.until === undefined ? {} : untilOption(started.until)),
});
