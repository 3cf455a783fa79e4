import { isJsonObject, type Json, type JsonObject, NodeFailure, readTextAt } from '@millrace/engine';
import type { z } from 'zod';
import { type ChoiceContext, type ChoiceRequest, implement, type NodeCall } from '../implement.ts';
import { choicesFrom } from '../kit/integration/choices.ts';
import { readCount, requiredText } from '../kit/integration/object-input.ts';
import { createCaller, readCredential } from '../kit/integration/run-caller.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { linearCredential } from './credential.ts';
import { linear } from './definition.ts';
import { type Ask, type Asked, linearApi, listed, TITLE } from './linear-api.ts';

type Params = z.output<typeof linear.params>;
type Operation = Params['linearOperation'];

interface Linear {
  readonly params: Params;
  readonly ask: Ask;
}

const MOST_ENTRIES = 10_000;

export const runLinear = implement(
  linear,
  async (call: NodeCall<Params>) => {
    const config = await readCredential(call, linearCredential);
    const { params } = call;
    const operation = params.linearOperation;
    const output = await OPERATIONS[operation]({ params, ask: linearApi(createCaller(call), config) });
    return { output: { success: true, operation, ...output } };
  },
  { choices: { teams, projects, states, members } },
);

const OPERATIONS: Readonly<Record<Operation, (linear: Linear) => Promise<JsonObject>>> = {
  async getViewer({ ask }) {
    const { viewer = null } = await ask({ document: 'viewer', effect: 'read' });
    return { viewer };
  },
  listTeams: (linear) => list(linear, 'teams', { document: 'teams', at: ['teams'] }),
  listProjects(linear) {
    const team = linear.params.linearTeamId.trim();
    return team === ''
      ? list(linear, 'projects', { document: 'projects', at: ['projects'] })
      : list(linear, 'projects', { document: 'teamProjects', variables: { team }, at: ['team', 'projects'] });
  },
  listIssues: (linear) =>
    list(linear, 'issues', { document: 'issues', variables: issueFilter(linear.params), at: ['issues'] }),
  listWorkflowStates: (linear) =>
    list(linear, 'states', {
      document: 'states',
      variables: buildFilter({ team: linear.params.linearTeamId }),
      at: ['workflowStates'],
    }),
  listTeamMembers: (linear) =>
    list(linear, 'members', {
      document: 'members',
      variables: { team: requiredText(linear.params, 'linearTeamId') },
      at: ['team', 'members'],
    }),
  listComments: (linear) =>
    list(linear, 'comments', {
      document: 'comments',
      variables: { id: issueId(linear.params) },
      at: ['issue', 'comments'],
    }),
  async getIssue({ params, ask }) {
    const { issue = null } = await ask({
      document: 'issue',
      variables: { id: issueId(params) },
      effect: 'read',
    });
    return described(issue);
  },
  async createIssue({ params, ask }) {
    const input = {
      teamId: requiredText(params, 'linearTeamId'),
      title: requiredText(params, 'linearTitle'),
      ...issueValues(params),
    };
    return described(
      await changed(ask, { document: 'issueCreate', variables: { input }, effect: 'unsafe' }, 'issue'),
    );
  },
  async updateIssue({ params, ask }) {
    const title = params.linearTitle.trim();
    const teamId = params.linearTeamId.trim();
    const input = {
      ...(teamId === '' ? {} : { teamId }),
      ...(title === '' ? {} : { title }),
      ...issueValues(params),
    };
    if (Object.keys(input).length === 0)
      throw refusedParam('linearTitle', 'enter at least one value to change');
    const variables = { id: issueId(params), input };
    return described(
      await changed(ask, { document: 'issueUpdate', variables, effect: 'idempotent' }, 'issue'),
    );
  },
  async deleteIssue({ params, ask }) {
    await changed(ask, { document: 'issueDelete', variables: { id: issueId(params) }, effect: 'idempotent' });
    return { deleted: true };
  },
  async addIssueLink({ params, ask }) {
    const title = params.linearTitle.trim();
    const variables = {
      issueId: issueId(params),
      url: requiredText(params, 'linearIssueLinkUrl'),
      ...(title === '' ? {} : { title }),
    };
    const asked = { document: 'attachmentLinkURL', variables, effect: 'idempotent' } as const;
    return { link: await changed(ask, asked, 'attachment') };
  },
  async createComment({ params, ask }) {
    const parentId = params.linearParentCommentId.trim();
    const input = {
      issueId: issueId(params),
      body: requiredText(params, 'linearCommentBody'),
      ...(parentId === '' ? {} : { parentId }),
    };
    return {
      comment: await changed(
        ask,
        { document: 'commentCreate', variables: { input }, effect: 'unsafe' },
        'comment',
      ),
    };
  },
  async updateComment({ params, ask }) {
    const input = { body: requiredText(params, 'linearCommentBody') };
    return commented({ params, ask }, 'commentUpdate', { input });
  },
  resolveComment: (linear) => commented(linear, 'commentResolve'),
  unresolveComment: (linear) => commented(linear, 'commentUnresolve'),
  async deleteComment({ params, ask }) {
    const variables = { id: requiredText(params, 'linearCommentId') };
    const entityId = await changed(
      ask,
      { document: 'commentDelete', variables, effect: 'idempotent' },
      'entityId',
    );
    return { deleted: true, entityId };
  },
};

async function list(
  { params, ask }: Linear,
  name: string,
  request: { document: Asked['document']; variables?: JsonObject; at: readonly string[] },
): Promise<JsonObject> {
  const most = params.linearReturnAll
    ? MOST_ENTRIES
    : readCount(params, 'linearLimit', { most: MOST_ENTRIES, usual: 50 });
  const { nodes, pageInfo } = await listed(ask, { ...request, most, after: params.linearAfter.trim() });
  return { [name]: nodes, count: nodes.length, pageInfo };
}

/** The value that a mutation gives back under a key. One that was not carried out says so in `success`. */
async function changed(ask: Ask, asked: Asked, key?: string): Promise<Json> {
  const { [asked.document]: payload = null } = await ask(asked);
  if (isJsonObject(payload) && payload['success'] === true)
    return key === undefined ? null : (payload[key] ?? null);
  throw new NodeFailure({ kind: 'upstream', message: `${TITLE} did not carry out the change` });
}

async function commented({ params, ask }: Linear, document: Asked['document'], more: JsonObject = {}) {
  const variables = { id: requiredText(params, 'linearCommentId'), ...more };
  return { comment: await changed(ask, { document, variables, effect: 'idempotent' }, 'comment') };
}

function described(issue: Json): JsonObject {
  const { identifier = null, url = null } = isJsonObject(issue) ? issue : {};
  return { issue, identifier, url };
}

/** An id, an identifier such as ENG-123, or the address of the page of an issue, which has the identifier in it. */
function issueId(params: Params): string {
  const text = requiredText(params, 'linearIssueId');
  return /^https?:\/\/linear\.app\/[^/]+\/issue\/([^/?#]+)/i.exec(text)?.[1] ?? text;
}

/** `{filter: {team: {id: {eq: "..."}}}}` of the values that are given; nothing when there are none. */
function buildFilter(values: Readonly<Record<string, string>>): JsonObject {
  const given = Object.entries(values).filter(([, value]) => value.trim() !== '');
  if (given.length === 0) return {};
  return { filter: Object.fromEntries(given.map(([name, value]) => [name, { id: { eq: value.trim() } }])) };
}

const issueFilter = (params: Params): JsonObject =>
  buildFilter({
    team: params.linearTeamId,
    project: params.linearProjectId,
    state: params.linearStateId,
    assignee: params.linearAssigneeId,
  });

/** The given values of an issue; the word null stands for none, which removes a value from an issue. */
function issueValues(params: Params): JsonObject {
  const given = {
    description: params.linearDescription,
    projectId: params.linearProjectId,
    stateId: params.linearStateId,
    assigneeId: params.linearAssigneeId,
  };
  const values: JsonObject = {};
  for (const [name, value] of Object.entries(given)) {
    const text = value.trim();
    if (text !== '') values[name] = text === 'null' ? null : name === 'description' ? value : text;
  }
  const priority = params.linearPriority.trim();
  return priority === '' ? values : { ...values, priority: parsePriority(priority) };
}

function parsePriority(text: string): number {
  if (text === 'null') return 0;
  if (/^[0-4]$/.test(text)) return Number(text);
  throw refusedParam('linearPriority', 'must be a number from 0 to 4');
}

const CHOICES = { most: 1_000, after: '' };

async function teams({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const ask = linearApi(caller, config);
  const { nodes } = await listed(ask, { document: 'teams', at: ['teams'], ...CHOICES });
  return choicesFrom(nodes, request, (team) =>
    isJsonObject(team) ? { value: team['id'], label: team['name'], hint: readTextAt(team, 'key') } : {},
  );
}

async function projects({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const ask = linearApi(caller, config);
  const team = request.params['linearTeamId']?.trim() ?? '';
  const { nodes } =
    team === ''
      ? await listed(ask, { document: 'projects', at: ['projects'], ...CHOICES })
      : await listed(ask, {
          document: 'teamProjects',
          variables: { team },
          at: ['team', 'projects'],
          ...CHOICES,
        });
  return choicesFrom(nodes, request, (project) =>
    isJsonObject(project) ? { value: project['id'], label: project['name'] } : {},
  );
}

async function states({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const variables = buildFilter({ team: request.params['linearTeamId'] ?? '' });
  const at = ['workflowStates'];
  const { nodes } = await listed(linearApi(caller, config), {
    document: 'states',
    variables,
    at,
    ...CHOICES,
  });
  return choicesFrom(nodes, request, (state) => {
    if (!isJsonObject(state)) return {};
    const team = isJsonObject(state['team']) ? state['team'] : {};
    return { value: state['id'], label: state['name'], hint: readTextAt(team, 'name') };
  });
}

async function members({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const team = request.params['linearTeamId']?.trim() ?? '';
  if (team === '') return { items: [], next_cursor: null };
  const at = ['team', 'members'];
  const ask = linearApi(caller, config);
  const { nodes } = await listed(ask, { document: 'members', variables: { team }, at, ...CHOICES });
  return choicesFrom(nodes, request, (user) =>
    isJsonObject(user) ? { value: user['id'], label: user['name'], hint: readTextAt(user, 'email') } : {},
  );
}
