import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations } from '../kit/integration/operations.ts';
import { linearCredential } from './credential.ts';

const PAGES = ['linearReturnAll', 'linearLimit', 'linearAfter'];
const VALUES = [
  'linearTitle',
  'linearDescription',
  'linearProjectId',
  'linearStateId',
  'linearAssigneeId',
  'linearPriority',
];
const OF_TEAM = ['credentialId', 'linearTeamId'];

const { params, effect } = defineOperations({
  key: 'linearOperation',
  initial: 'listIssues',
  operations: {
    listIssues: {
      title: 'List issues',
      effect: 'read',
      fields: ['linearTeamId', 'linearProjectId', 'linearStateId', 'linearAssigneeId', ...PAGES],
    },
    getIssue: { title: 'Get an issue', effect: 'read', fields: ['linearIssueId'] },
    createIssue: { title: 'Create an issue', effect: 'unsafe', fields: ['linearTeamId', ...VALUES] },
    updateIssue: {
      title: 'Change an issue',
      effect: 'idempotent',
      fields: ['linearIssueId', 'linearTeamId', ...VALUES],
    },
    deleteIssue: { title: 'Delete an issue', effect: 'idempotent', fields: ['linearIssueId'] },
    // Linear keeps one attachment per issue and address.
    addIssueLink: {
      title: 'Add a link to an issue',
      effect: 'idempotent',
      fields: ['linearIssueId', 'linearIssueLinkUrl', 'linearTitle'],
    },
    listComments: { title: 'List comments', effect: 'read', fields: ['linearIssueId', ...PAGES] },
    createComment: {
      title: 'Write a comment',
      effect: 'unsafe',
      fields: ['linearIssueId', 'linearCommentBody', 'linearParentCommentId'],
    },
    updateComment: {
      title: 'Change a comment',
      effect: 'idempotent',
      fields: ['linearCommentId', 'linearCommentBody'],
    },
    resolveComment: { title: 'Resolve a comment', effect: 'idempotent', fields: ['linearCommentId'] },
    unresolveComment: { title: 'Reopen a comment', effect: 'idempotent', fields: ['linearCommentId'] },
    deleteComment: { title: 'Delete a comment', effect: 'idempotent', fields: ['linearCommentId'] },
    listTeams: { title: 'List teams', effect: 'read', fields: PAGES },
    listProjects: { title: 'List projects', effect: 'read', fields: ['linearTeamId', ...PAGES] },
    listWorkflowStates: { title: 'List workflow states', effect: 'read', fields: ['linearTeamId', ...PAGES] },
    listTeamMembers: { title: 'List members of a team', effect: 'read', fields: ['linearTeamId', ...PAGES] },
    getViewer: { title: 'Get the user of the key', effect: 'read', fields: [] },
  },
  fields: {
    linearTeamId: field
      .resource('Team', { resource: { list: 'teams', depends_on: ['credentialId'] } })
      .default(''),
    linearIssueId: field
      .template('Issue', {
        when_empty: 'Enter the issue',
        placeholder: 'ENG-123',
        help: 'Its id, its identifier or its address.',
      })
      .default(''),
    linearTitle: field.template('Title').default(''),
    linearDescription: field
      .template('Description', { kind: 'multiline', help: 'In Markdown. null removes it from an issue.' })
      .default(''),
    linearIssueLinkUrl: field
      .template('Link', { when_empty: 'Enter the address of the link', placeholder: 'https://' })
      .default(''),
    linearProjectId: field
      .resource('Project', { resource: { list: 'projects', depends_on: OF_TEAM } })
      .default(''),
    linearStateId: field.resource('State', { resource: { list: 'states', depends_on: OF_TEAM } }).default(''),
    linearAssigneeId: field
      .resource('Assignee', { resource: { list: 'members', depends_on: OF_TEAM } })
      .default(''),
    linearPriority: field
      .template('Priority', { help: '0 none, 1 urgent, 2 high, 3 medium, 4 low.', placeholder: '3' })
      .default(''),
    linearCommentId: field.template('Comment', { when_empty: 'Enter the id of the comment' }).default(''),
    linearCommentBody: field
      .template('Text', { kind: 'multiline', when_empty: 'Enter the text of the comment' })
      .default(''),
    linearParentCommentId: field
      .template('In reply to', { help: 'Id of the comment that this one answers.' })
      .default(''),
    linearReturnAll: field.boolean('All pages', { help: '10,000 entries at most.' }).default(false),
    linearLimit: field.template('At most').default('50'),
    linearAfter: field
      .template('After', { help: 'The endCursor of an earlier call, to continue behind it.' })
      .default(''),
  },
});

export const linear = defineNode({
  type: 'linear',
  title: 'Linear',
  family: 'integration',
  summary: 'Reads and changes issues and comments in Linear.',
  icon: [
    ['path', { d: 'M4 14.5 9.5 20' }],
    ['path', { d: 'M3.5 10 14 20.5' }],
    ['path', { d: 'M5.5 6.5 17.5 18.5' }],
    ['path', { d: 'M8.5 4.2a9 9 0 0 1 11.3 11.3' }],
  ],
  credentials: [linearCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['linear'],
        when_empty: 'Choose the key for Linear',
      })
      .default(''),
    ...params,
  }),
  initial: { label: 'linear', linearOperation: 'listIssues', linearLimit: '50' },
  effect,
});
