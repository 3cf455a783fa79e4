import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations } from '../kit/integration/operations.ts';
import { sentryCredential } from './credential.ts';

const ORGANIZATION = 'sentryOrganizationSlug';
const PROJECT = [ORGANIZATION, 'sentryProjectSlug'];
const TEAM = [ORGANIZATION, 'sentryTeamSlug'];
const ISSUE = [ORGANIZATION, 'sentryIssueId'];
const RELEASE = [ORGANIZATION, 'sentryReleaseVersion'];
const NAMES = ['sentryName', 'sentrySlug'];
const OF_ORGANIZATION = ['credentialId', ORGANIZATION];

const { params, effect } = defineOperations({
  key: 'sentryOperation',
  initial: 'listIssues',
  operations: {
    listIssues: {
      title: 'List issues',
      effect: 'read',
      fields: [...PROJECT, 'sentryQuery', 'sentryStatsPeriod', 'sentryLimit'],
    },
    getIssue: { title: 'Get an issue', effect: 'read', fields: ISSUE },
    updateIssue: {
      title: 'Change an issue',
      effect: 'idempotent',
      fields: [...ISSUE, 'sentryStatus', 'sentryAssignedTo', 'sentryPayload'],
    },
    deleteIssue: { title: 'Delete an issue', effect: 'idempotent', fields: ISSUE },
    listEvents: {
      title: 'List events',
      effect: 'read',
      fields: [...PROJECT, 'sentryIssueId', 'sentryQuery', 'sentryStatsPeriod', 'sentryLimit'],
    },
    getEvent: {
      title: 'Get an event',
      effect: 'read',
      fields: [...PROJECT, 'sentryIssueId', 'sentryEventId'],
    },
    listOrganizations: {
      title: 'List organizations',
      effect: 'read',
      fields: ['sentryQuery', 'sentryLimit'],
    },
    updateOrganization: {
      title: 'Change an organization',
      effect: 'idempotent',
      fields: [ORGANIZATION, ...NAMES, 'sentryPayload'],
    },
    listProjects: { title: 'List projects', effect: 'read', fields: [ORGANIZATION, 'sentryLimit'] },
    getProject: { title: 'Get a project', effect: 'read', fields: PROJECT },
    createProject: {
      title: 'Create a project',
      effect: 'unsafe',
      fields: [...TEAM, ...NAMES, 'sentryPlatform', 'sentryPayload'],
    },
    updateProject: {
      title: 'Change a project',
      effect: 'idempotent',
      fields: [...PROJECT, ...NAMES, 'sentryPlatform', 'sentryPayload'],
    },
    deleteProject: { title: 'Delete a project', effect: 'idempotent', fields: PROJECT },
    listReleases: {
      title: 'List releases',
      effect: 'read',
      fields: [ORGANIZATION, 'sentryQuery', 'sentryLimit'],
    },
    getRelease: { title: 'Get a release', effect: 'read', fields: RELEASE },
    // A version that exists is answered with status 208 and stays as it is.
    createRelease: {
      title: 'Create a release',
      effect: 'idempotent',
      fields: [...RELEASE, 'sentryReleaseProjects', 'sentryReleaseRefs', 'sentryPayload'],
    },
    updateRelease: {
      title: 'Change a release',
      effect: 'idempotent',
      fields: [...RELEASE, 'sentryReleaseRefs', 'sentryPayload'],
    },
    deleteRelease: { title: 'Delete a release', effect: 'idempotent', fields: RELEASE },
    listTeams: { title: 'List teams', effect: 'read', fields: [ORGANIZATION, 'sentryLimit'] },
    createTeam: {
      title: 'Create a team',
      effect: 'unsafe',
      fields: [ORGANIZATION, ...NAMES, 'sentryPayload'],
    },
    updateTeam: {
      title: 'Change a team',
      effect: 'idempotent',
      fields: [...TEAM, ...NAMES, 'sentryPayload'],
    },
    deleteTeam: { title: 'Delete a team', effect: 'idempotent', fields: TEAM },
  },
  fields: {
    sentryOrganizationSlug: field
      .resource('Organization', {
        resource: { list: 'organizations', depends_on: ['credentialId'] },
        when_empty: 'Choose the organization',
      })
      .default(''),
    sentryProjectSlug: field
      .resource('Project', { resource: { list: 'projects', depends_on: OF_ORGANIZATION } })
      .default(''),
    sentryTeamSlug: field
      .resource('Team', {
        resource: { list: 'teams', depends_on: OF_ORGANIZATION },
        when_empty: 'Choose the team',
      })
      .default(''),
    sentryIssueId: field.template('Issue', { help: 'The number of the issue.' }).default(''),
    sentryEventId: field
      .template('Event', {
        when_empty: 'Enter the event',
        help: 'Its id; with an issue also latest, oldest or recommended.',
      })
      .default(''),
    sentryReleaseVersion: field
      .template('Version', { when_empty: 'Enter the version of the release', placeholder: 'shop@1.2.0' })
      .default(''),
    sentryName: field.template('Name').default(''),
    sentrySlug: field.template('Short name', { help: 'As it is written in addresses.' }).default(''),
    sentryPlatform: field.template('Platform', { placeholder: 'javascript-react' }).default(''),
    sentryStatus: field
      .template('Status', { help: 'resolved, resolvedInNextRelease, unresolved or ignored.' })
      .default(''),
    sentryAssignedTo: field
      .template('Assigned to', { help: 'A user name, an email address, user:ID or team:ID.' })
      .default(''),
    sentryQuery: field
      .template('Search', { help: "Words in Sentry's search language.", placeholder: 'is:unresolved' })
      .default(''),
    sentryStatsPeriod: field
      .template('Period', { help: 'Such as 24h or 14d, counted back from now.' })
      .default('14d'),
    sentryReleaseProjects: field
      .value('Projects', { kind: 'json', help: 'A list of short names of projects.' })
      .default('[]'),
    sentryReleaseRefs: field
      .value('Commits', {
        kind: 'json',
        help: 'A list such as [{"repository": "shop", "commit": "4f2c1e"}].',
      })
      .default('[]'),
    sentryPayload: field
      .value('More values', { kind: 'json', help: 'Sent along; the fields above take precedence.' })
      .default('{}'),
    sentryLimit: field
      .template('At most', { help: '1,000 at most; zero means as many as that.' })
      .default('25'),
  },
});

export const sentry = defineNode({
  type: 'sentry',
  title: 'Sentry',
  family: 'integration',
  summary: 'Reads and changes issues, events, projects and releases in Sentry.',
  icon: 'shield-alert',
  credentials: [sentryCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['sentry'],
        when_empty: 'Choose the auth token for Sentry',
      })
      .default(''),
    ...params,
  }),
  initial: { label: 'sentry', sentryOperation: 'listIssues', sentryLimit: '25', sentryStatsPeriod: '14d' },
  effect,
});
