import { defineNode, type FieldOptions, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations, type Operation } from '../kit/integration/operations.ts';
import { optionalNumeric } from '../kit/values/numeric.ts';
import { githubCredential } from './credential.ts';

const REPOSITORY = ['githubOwner', 'githubRepo'];
const ISSUE = [...REPOSITORY, 'githubIssueNumber'];
const REVIEWS = [...REPOSITORY, 'githubPullRequestNumber'];
const WORKFLOW = [...REPOSITORY, 'githubWorkflowId'];
const DISPATCH = [...WORKFLOW, 'githubBranch', 'githubWorkflowInputs'];
const FILE = [...REPOSITORY, 'githubFilePath', 'githubBranch'];
const ORDER = ['githubState', 'githubSort', 'githubDirection', 'githubPerPage'];
const FILTERS = ['githubLabelsFilter', 'githubSince', 'githubMentioned'];
const ISSUES = [...REPOSITORY, ...ORDER, ...FILTERS, 'githubAssignee', 'githubCreator'];
const WRITING = ['githubTitle', 'githubBody'];
const LABELS = ['githubLabels', 'githubAssignees'];
const RELEASE = ['githubTagName', ...WRITING, 'githubBranch', 'githubDraft', 'githubPrerelease'];

const read = (title: string, fields: readonly string[]) => ({ title, effect: 'read', fields }) as const;
const repeatable = (title: string, fields: readonly string[]) =>
  ({ title, effect: 'idempotent', fields }) as const;
const once = (title: string, fields: readonly string[]) => ({ title, effect: 'unsafe', fields }) as const;

/** https://docs.github.com/en/rest */
const githubOperations = {
  getRepository: read('Get a repository', REPOSITORY),
  getRepositoryLicense: read('Get the license of a repository', REPOSITORY),
  getRepositoryProfile: read('Get the community profile of a repository', REPOSITORY),
  listPopularPaths: read('List popular paths of a repository', REPOSITORY),
  listReferrers: read('List referrers of a repository', REPOSITORY),
  listOrganizationRepositories: read('List repositories of an organization', [
    'githubOwner',
    'githubPerPage',
  ]),
  listUserRepositories: read('List repositories of a user', ['githubOwner', 'githubPerPage']),
  getUserRepositories: read('Get the repositories of a user', ['githubOwner', 'githubPerPage']),
  listIssues: read('List issues', ISSUES),
  getRepositoryIssues: read('Get the issues of a repository', ISSUES),
  getUserIssues: read('Get your issues', [...ORDER, ...FILTERS]),
  getIssue: read('Get an issue', ISSUE),
  createIssue: once('Create an issue', [...REPOSITORY, ...WRITING, ...LABELS]),
  updateIssue: repeatable('Edit an issue', [
    ...ISSUE,
    ...WRITING,
    ...LABELS,
    'githubState',
    'githubStateReason',
  ]),
  lockIssue: repeatable('Lock an issue', [...ISSUE, 'githubLockReason']),
  createComment: once('Comment on an issue or pull request', [...ISSUE, 'githubCommentBody']),
  listPullRequests: read('List pull requests', [...REPOSITORY, ...ORDER]),
  getRepositoryPullRequests: read('Get the pull requests of a repository', [...REPOSITORY, ...ORDER]),
  createPullRequest: once('Create a pull request', [
    ...REPOSITORY,
    ...WRITING,
    'githubHead',
    'githubBase',
    'githubDraft',
  ]),
  listReviews: read('List reviews', [...REVIEWS, 'githubPerPage']),
  getReview: read('Get a review', [...REVIEWS, 'githubReviewId']),
  createReview: once('Create a review', [
    ...REVIEWS,
    'githubReviewEvent',
    'githubReviewBody',
    'githubCommitId',
  ]),
  updateReview: repeatable('Edit a review', [...REVIEWS, 'githubReviewId', 'githubReviewBody']),
  listReleases: read('List releases', [...REPOSITORY, 'githubPerPage']),
  getRelease: read('Get a release', [...REPOSITORY, 'githubReleaseId']),
  createRelease: once('Create a release', [...REPOSITORY, ...RELEASE]),
  updateRelease: repeatable('Edit a release', [...REPOSITORY, 'githubReleaseId', ...RELEASE]),
  deleteRelease: repeatable('Delete a release', [...REPOSITORY, 'githubReleaseId']),
  listWorkflows: read('List Actions workflows', [...REPOSITORY, 'githubPerPage']),
  getWorkflow: read('Get an Actions workflow', WORKFLOW),
  enableWorkflow: repeatable('Enable an Actions workflow', WORKFLOW),
  disableWorkflow: repeatable('Disable an Actions workflow', WORKFLOW),
  getWorkflowUsage: read('Get the usage of an Actions workflow', WORKFLOW),
  dispatchWorkflow: once('Start an Actions workflow', DISPATCH),
  dispatchWorkflowAndWait: {
    title: 'Start an Actions workflow and wait',
    effect: 'steps',
    fields: [...DISPATCH, 'githubWaitTimeoutSeconds', 'githubPollIntervalSeconds'],
  },
  getFile: read('Get a file', FILE),
  listFiles: read('List files', FILE),
  upsertFile: repeatable('Create or update a file', [...FILE, 'githubFileContent', 'githubCommitMessage']),
  deleteFile: repeatable('Delete a file', [...FILE, 'githubCommitMessage']),
  inviteUser: once('Invite a user to an organization', ['githubOrganization', 'githubInviteEmail']),
} satisfies Record<string, Operation>;

/** Text that an export may hold as a number, such as that of an issue. */
const id = (title: string, options: FieldOptions = {}) =>
  field.custom(z.union([z.string(), z.number()]), title, {
    kind: 'expression',
    mode: 'template',
    ...options,
  });

/** One of a few words; an expression may stand in their place. Empty sends none. */
const word = (title: string, empty: string, words: Readonly<Record<string, string>>) =>
  field
    .custom(z.string(), title, {
      kind: 'choice',
      mode: 'template',
      choices: [
        { value: '', title: empty },
        ...Object.entries(words).map(([value, shown]) => ({ value, title: shown })),
      ],
    })
    .default('');

const OF_REPOSITORY = ['credentialId', 'githubOwner', 'githubRepo'];
const branches = { list: 'branches', depends_on: OF_REPOSITORY };
const list = (title: string, help: string) => field.value(title, { kind: 'json', help }).default('');

/** Parameters of all operations, in the order of the form. */
const githubFields = {
  githubOwner: field
    .resource('Owner', {
      resource: { list: 'owners', depends_on: ['credentialId'] },
      when_empty: 'Enter the user or the organization that owns it',
    })
    .default(''),
  githubRepo: field
    .resource('Repository', {
      resource: { list: 'repositories', depends_on: ['credentialId', 'githubOwner'] },
      when_empty: 'Choose the repository',
    })
    .default(''),
  githubOrganization: field
    .resource('Organization', {
      resource: { list: 'owners', depends_on: ['credentialId'] },
      when_empty: 'Choose the organization',
    })
    .default(''),
  githubInviteEmail: field
    .template('E-mail address', { when_empty: 'Enter the address of the person to invite' })
    .default(''),
  githubIssueNumber: id('Number', { when_empty: 'Enter the number of the issue or pull request' }).default(
    '',
  ),
  githubPullRequestNumber: id('Pull request', { when_empty: 'Enter the number of the pull request' }).default(
    '',
  ),
  githubReviewId: id('Review', { when_empty: 'Enter the id of the review' }).default(''),
  githubReleaseId: id('Release', { when_empty: 'Enter the id of the release' }).default(''),
  githubTagName: field.template('Tag', { placeholder: 'v1.0.0' }).default(''),
  githubTitle: field.template('Title').default(''),
  githubBody: field.template('Text', { kind: 'multiline' }).default(''),
  githubCommentBody: field
    .template('Comment', { kind: 'multiline', when_empty: 'Enter the comment' })
    .default(''),
  githubState: word('State', 'Open, or unchanged', { open: 'Open', closed: 'Closed', all: 'All' }),
  githubStateReason: word('Reason', 'None', {
    completed: 'Completed',
    not_planned: 'Not planned',
    duplicate: 'Duplicate',
    reopened: 'Reopened',
  }),
  githubAssignee: field.template('Assigned to', { help: 'A user name, or *, or none.' }).default(''),
  githubCreator: field.template('Created by').default(''),
  githubMentioned: field
    .template('Mentioning', { help: 'For your issues any text stands for yourself.' })
    .default(''),
  githubLabelsFilter: field.template('With labels', { help: 'Separated by commas.' }).default(''),
  githubSince: field.template('Changed since', { help: 'A time such as 2026-01-31T00:00:00Z.' }).default(''),
  githubSort: word('Sort by', 'Time of creation', {
    created: 'Time of creation',
    updated: 'Last change',
    comments: 'Number of comments',
    popularity: 'Popularity',
    'long-running': 'Long-running',
  }),
  githubDirection: word('Direction', 'Descending', { asc: 'Ascending', desc: 'Descending' }),
  githubLabels: list('Labels', 'A list such as ["bug"]. Empty keeps them, [] removes all.'),
  githubAssignees: list('Assignees', 'A list of user names. Empty keeps them, [] removes all.'),
  githubLockReason: word('Reason', 'None', {
    'off-topic': 'Off-topic',
    'too heated': 'Too heated',
    resolved: 'Resolved',
    spam: 'Spam',
  }),
  githubHead: field
    .resource('From branch', { resource: branches, when_empty: 'Enter the branch with the changes' })
    .default(''),
  githubBase: field
    .resource('Into branch', { resource: branches, when_empty: 'Enter the branch to merge into' })
    .default('main'),
  githubReviewEvent: field
    .custom(z.string(), 'Verdict', {
      kind: 'choice',
      mode: 'template',
      choices: [
        { value: 'APPROVE', title: 'Approve' },
        { value: 'REQUEST_CHANGES', title: 'Request changes' },
        { value: 'COMMENT', title: 'Comment' },
        { value: 'PENDING', title: 'None yet' },
      ],
    })
    .default('APPROVE'),
  githubReviewBody: field.template('Text', { kind: 'multiline' }).default(''),
  githubCommitId: field.template('Commit', { help: 'Empty is the latest one.' }).default(''),
  githubWorkflowId: field
    .resource('Workflow', {
      resource: { list: 'workflows', depends_on: OF_REPOSITORY },
      when_empty: 'Choose the workflow',
      placeholder: 'build.yml',
    })
    .default(''),
  githubFilePath: field.template('Path', { placeholder: 'docs/index.md' }).default(''),
  githubFileContent: field.template('Content', { kind: 'multiline' }).default(''),
  githubCommitMessage: field
    .template('Commit message', { when_empty: 'Enter the message of the commit' })
    .default(''),
  githubBranch: field
    .resource('Branch', { resource: branches, help: 'A branch, tag or commit. Empty is the default branch.' })
    .default(''),
  githubWorkflowInputs: field
    .value('Inputs', { kind: 'json', help: 'Values by the names of the inputs.' })
    .default(''),
  githubDraft: field.boolean('Draft').optional(),
  githubPrerelease: field.boolean('Pre-release').optional(),
  githubPerPage: optionalNumeric('At most', {
    min: 0,
    max: 10_000,
    integer: true,
    help: 'Zero means every entry, up to 10,000.',
  }),
  githubWaitTimeoutSeconds: optionalNumeric('Wait at most', {
    min: 1,
    max: 86_400,
    help: 'In seconds.',
  }),
  githubPollIntervalSeconds: optionalNumeric('Ask every', { min: 1, max: 3_600, help: 'In seconds.' }),
};

const { params, effect } = defineOperations({
  key: 'githubOperation',
  initial: 'getRepository',
  operations: githubOperations,
  fields: githubFields,
});

export const github = defineNode({
  type: 'github',
  title: 'GitHub',
  family: 'integration',
  summary: 'Works with repositories, issues, pull requests, releases, files and Actions of GitHub.',
  icon: 'git-pull-request',
  credentials: [githubCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['github'],
        when_empty: 'Choose the token',
      })
      .default(''),
    ...params,
  }),
  initial: { label: 'github', githubOperation: 'getRepository', githubPerPage: '30', githubBase: 'main' },
  effect,
});
