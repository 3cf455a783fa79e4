import { field } from '@millrace/engine';
import { z } from 'zod';
import { costBudget } from '../models/budgets/cost-budget.ts';
import { numeric } from '../values/numeric.ts';

/** Name of the folder that the containers of coding agents of a run share. */
export const WORKSPACE = 'coding';

/** The ways to publish the changes. */
export const PUBLISH_MODES = [
  'diff_only',
  'patch_artifact',
  'draft_pr',
  'open_pr',
  'commit_push',
  'direct_commit',
  'update_existing_pr',
] as const;

export type PublishMode = (typeof PUBLISH_MODES)[number];

const TITLES: Readonly<Record<PublishMode, string>> = {
  diff_only: 'Only show them',
  patch_artifact: 'Store them as a patch file in Drive',
  draft_pr: 'Open a draft pull request',
  open_pr: 'Open a pull request',
  commit_push: 'Push them to a branch',
  direct_commit: 'Commit them to the base branch',
  update_existing_pr: 'Add them to an open pull request',
};

/** Modes that need no branch of their own. */
const WITHOUT_BRANCH: readonly PublishMode[] = ['diff_only', 'patch_artifact', 'direct_commit'];
const ON_A_BRANCH = PUBLISH_MODES.filter((mode) => !WITHOUT_BRANCH.includes(mode));

/**
 * Fields that nodes of coding agents share.
 *
 * @param of type of the agent's credential, the first part of the name of new branches, and how its cost budget counts
 */
export const codingFields = ({
  credential,
  prefix,
  budget,
}: {
  credential: string;
  prefix: string;
  budget: string;
}) => ({
  credentialId: field
    .text('Credential', {
      kind: 'credential',
      credential_types: [credential],
      when_empty: 'Choose the credential of the agent',
    })
    .default(''),
  githubCredentialId: field
    .text('Code hosting', {
      kind: 'credential',
      credential_types: ['github'],
      help: 'For private repositories and for everything that is published. The agent itself never gets the token.',
    })
    .default(''),
  repositoryUrl: field
    .template('Repository', {
      placeholder: 'https://github.com/owner/name',
      when_empty: 'Enter the address of the repository',
    })
    .default(''),
  baseBranch: field.template('Base branch', { when_empty: 'Enter the branch to begin with' }).default('main'),
  taskPrompt: field
    .template('Task', { kind: 'multiline', when_empty: 'Say what the agent is to do' })
    .default('$input.text'),
  publishMode: field
    .choice('Changes', PUBLISH_MODES, {
      choices: PUBLISH_MODES.map((value) => ({ value, title: TITLES[value] })),
    })
    .default('diff_only'),
  branchName: field
    .template('Branch', {
      help: 'Made when it does not exist. Work of others on it is never overwritten.',
      shown_when: [{ field: 'publishMode', is: ON_A_BRANCH }],
    })
    .default(`${prefix}/$executionId`),
  setupCommand: field
    .template('Setup command', {
      kind: 'multiline',
      placeholder: 'npm ci',
      help: 'Run by a shell in the repository before the agent begins, such as what installs packages.',
    })
    .default(''),
  timeoutSeconds: numeric('Time limit in seconds', { min: 10, max: 14_400 }).default(3_600),
  maxCostUsd: costBudget(budget),
});

export const codingOutput = {
  status: z.enum(['completed', 'needs_input', 'limit_reached']),
  summary: z.string(),
  validation: z.string(),
  diff: z.string(),
  changedFiles: z.array(z.string()),
  threadId: z.string().nullable(),
  branchName: z.string().nullable(),
  pullRequestUrl: z.string().nullable(),
  usage: z.record(z.string(), z.number()),
};
