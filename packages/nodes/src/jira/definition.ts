import { defineNode, type FieldOptions, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations } from '../kit/integration/operations.ts';
import { optionalNumeric } from '../kit/values/numeric.ts';
import { jiraCredential } from './credential.ts';

const ISSUE = ['jiraIssueKey'];
const COMMENT = [...ISSUE, 'jiraCommentId'];
const PAGE = ['jiraLimit', 'jiraStartAt'];
const WRITING = ['jiraSummary', 'jiraDescription', 'jiraAssigneeAccountId', 'jiraLabels'];
const USER = ['jiraAccountId', 'jiraUsername'];

/** Text that an export may hold as a number, such as that of a comment. */
const id = (title: string, options: FieldOptions = {}) =>
  field
    .custom(z.union([z.string(), z.number()]), title, { kind: 'expression', mode: 'template', ...options })
    .default('');

const names = (title: string, help: string) => field.value(title, { kind: 'json', help }).default('');

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/ */
const { params, effect } = defineOperations({
  key: 'jiraOperation',
  initial: 'searchIssues',
  operations: {
    searchIssues: {
      title: 'Search issues',
      effect: 'read',
      fields: ['jiraJql', 'jiraFields', 'jiraLimit', 'jiraNextPageToken'],
    },
    getIssue: { title: 'Get an issue', effect: 'read', fields: ISSUE },
    createIssue: {
      title: 'Create an issue',
      effect: 'unsafe',
      fields: ['jiraProjectKey', 'jiraIssueType', 'jiraIssueTypeId', ...WRITING],
    },
    updateIssue: { title: 'Change an issue', effect: 'idempotent', fields: [...ISSUE, ...WRITING] },
    deleteIssue: { title: 'Delete an issue', effect: 'idempotent', fields: ISSUE },
    listTransitions: { title: 'List transitions of an issue', effect: 'read', fields: ISSUE },
    transitionIssue: {
      title: 'Move an issue to another status',
      effect: 'unsafe',
      fields: [...ISSUE, 'jiraTransitionId'],
    },
    getIssueChangelog: {
      title: 'List changes of an issue',
      effect: 'read',
      fields: [...ISSUE, ...PAGE],
    },
    notifyIssue: {
      title: 'Notify people about an issue',
      effect: 'unsafe',
      fields: [...ISSUE, 'jiraNotifySubject', 'jiraNotifyTextBody', 'jiraNotifyHtmlBody', 'jiraNotifyTo'],
    },
    listComments: { title: 'List comments', effect: 'read', fields: [...ISSUE, ...PAGE] },
    getComment: { title: 'Get a comment', effect: 'read', fields: COMMENT },
    createComment: { title: 'Create a comment', effect: 'unsafe', fields: [...ISSUE, 'jiraCommentBody'] },
    updateComment: {
      title: 'Change a comment',
      effect: 'idempotent',
      fields: [...COMMENT, 'jiraCommentBody'],
    },
    deleteComment: { title: 'Delete a comment', effect: 'idempotent', fields: COMMENT },
    listAttachments: {
      title: 'List attachments',
      effect: 'read',
      fields: [...ISSUE, ...PAGE, 'jiraIncludeBinary'],
    },
    getAttachment: {
      title: 'Get an attachment',
      effect: 'read',
      fields: ['jiraAttachmentId', 'jiraIncludeBinary'],
    },
    addAttachment: {
      title: 'Add an attachment',
      effect: 'unsafe',
      fields: [...ISSUE, 'jiraAttachmentFilename', 'jiraAttachmentBase64', 'jiraAttachmentMimeType'],
    },
    deleteAttachment: {
      title: 'Delete an attachment',
      effect: 'idempotent',
      fields: ['jiraAttachmentId'],
    },
    listProjects: { title: 'List projects', effect: 'read', fields: PAGE },
    getMyself: { title: 'Get yourself', effect: 'read', fields: [] },
    getUser: { title: 'Get a user', effect: 'read', fields: USER },
    createUser: {
      title: 'Create a user',
      effect: 'unsafe',
      fields: ['jiraUsername', 'jiraUserEmail', 'jiraUserDisplayName', 'jiraUserProducts'],
    },
    deleteUser: { title: 'Delete a user', effect: 'idempotent', fields: USER },
  },
  fields: {
    jiraProjectKey: field
      .resource('Project', {
        resource: { list: 'projects', depends_on: ['credentialId'] },
        when_empty: 'Choose the project',
      })
      .default(''),
    jiraIssueKey: id('Issue', { placeholder: 'ENG-123', when_empty: 'Enter the key or id of the issue' }),
    jiraIssueType: field
      .resource('Type', {
        resource: { list: 'issue_types', depends_on: ['credentialId', 'jiraProjectKey'] },
      })
      .default('Task'),
    jiraIssueTypeId: id('Id of the type', { help: 'In place of its name.' }),
    jiraSummary: field.template('Summary').default(''),
    jiraDescription: field
      .template('Description', { kind: 'multiline', help: 'In a change null removes it.' })
      .default(''),
    jiraAssigneeAccountId: field
      .resource('Assignee', {
        resource: { list: 'users', depends_on: ['credentialId'] },
        help: 'An account id, on a server of your own a user name. In a change null removes it.',
      })
      .default(''),
    jiraLabels: names('Labels', 'A list, or separated by commas.'),
    jiraJql: field
      .template('Query (JQL)', { when_empty: 'Enter the query' })
      .default('updated >= -30d ORDER BY updated DESC'),
    jiraFields: names('Fields', 'A list, or separated by commas. Empty reads the most used ones.'),
    jiraTransitionId: field
      .resource('Transition', {
        resource: { list: 'transitions', depends_on: ['credentialId', 'jiraIssueKey'] },
        when_empty: 'Choose the transition',
      })
      .default(''),
    jiraCommentId: id('Comment', { when_empty: 'Enter the id of the comment' }),
    jiraCommentBody: field
      .template('Text', { kind: 'multiline', when_empty: 'Enter the comment' })
      .default(''),
    jiraAttachmentId: id('Attachment', { when_empty: 'Enter the id of the attachment' }),
    jiraAttachmentFilename: field
      .template('File name', { when_empty: 'Enter the name of the file' })
      .default(''),
    jiraAttachmentBase64: field
      .template('Content', { when_empty: 'Enter the content', help: 'In base64, or a data URL.' })
      .default(''),
    jiraAttachmentMimeType: field.template('Type of the content', { placeholder: 'text/csv' }).default(''),
    jiraIncludeBinary: field.boolean('With the content').default(false),
    jiraNotifySubject: field.template('Subject', { when_empty: 'Enter the subject' }).default(''),
    jiraNotifyTextBody: field
      .template('Text', { kind: 'multiline', when_empty: 'Enter the text' })
      .default(''),
    jiraNotifyHtmlBody: field.template('HTML', { kind: 'multiline' }).default(''),
    jiraNotifyTo: field
      .value('To', { kind: 'json', help: 'Such as {"assignee": true, "watchers": true}.' })
      .default('{"assignee":true}'),
    jiraAccountId: field
      .resource('User', {
        resource: { list: 'users', depends_on: ['credentialId'] },
        help: 'The account id in the cloud.',
      })
      .default(''),
    jiraUsername: field.template('User name', { help: 'On a server of your own.' }).default(''),
    jiraUserEmail: field
      .template('E-mail address', { when_empty: 'Enter the address of the user' })
      .default(''),
    jiraUserDisplayName: field.template('Shown name').default(''),
    jiraUserProducts: names('Products', 'A list such as ["jira-software"], or separated by commas.'),
    jiraLimit: optionalNumeric('At most', {
      min: 0,
      max: 5_000,
      integer: true,
      help: 'Zero means every entry, up to 5,000.',
    }),
    jiraStartAt: optionalNumeric('Skip', { min: 0, max: 1_000_000, integer: true }),
    jiraNextPageToken: field
      .template('Continue at', { help: 'The nextPageToken of an earlier search.' })
      .default(''),
  },
});

export const jira = defineNode({
  type: 'jira',
  title: 'Jira',
  family: 'integration',
  summary: 'Searches and changes issues, comments, attachments and users of Jira.',
  icon: 'ticket',
  credentials: [jiraCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['jira'],
        when_empty: 'Choose the Jira site',
      })
      .default(''),
    ...params,
  }),
  initial: { label: 'jira', jiraOperation: 'searchIssues', jiraLimit: '50' },
  effect,
});
