import type { JsonObject } from '@millrace/engine';
import type { RunRequest } from './run-request.ts';

type Started = Pick<RunRequest, 'workflow' | 'test_run'>;

const isOfDraft = ({ workflow }: Started): boolean => workflow.version.number === null;

export const isTrial = (started: Started): boolean => started.test_run === true || isOfDraft(started);

/** Stored as options of a trial. Lists of runs go by them, because a draft may be deleted before its runs are. */
export const trialOptions = (started: Started): JsonObject => ({
  ...(started.test_run === true ? { test_run: true } : {}),
  ...(isOfDraft(started) ? { of_draft: true } : {}),
});
