import { isJsonObject, type Json, readText } from '@millrace/engine';
import type { ChoiceContext, ChoicePage, ChoiceRequest } from '../implement.ts';
import { path } from '../kit/integration/call-json.ts';
import { choicesFrom } from '../kit/integration/choices.ts';
import { listIn } from '../kit/integration/paging.ts';
import { objectIn, READ, resolveSite, TITLE } from './calls/connection.ts';
import { allProjects, projectPage } from './calls/lists.ts';

const PAGE_SIZE = 50;
const MOST_USERS = 1_000;
const WHOLE = { params: {}, search: '', cursor: null };

/** Lists that the fields of the form offer. */
export const jiraChoices = { projects: projectChoices, issue_types, transitions, users };

/** Searched and paged by the site, for there may be thousands. */
async function projectChoices(
  { caller, config }: ChoiceContext,
  request: ChoiceRequest,
): Promise<ChoicePage> {
  const site = resolveSite(caller, config);
  if (!site.isCloud) {
    return choicesFrom(await allProjects(site), request, described('key', 'name', 'key'));
  }
  const startAt = Math.max(Number.parseInt(request.cursor ?? '0', 10) || 0, 0);
  const page = { startAt, maxResults: PAGE_SIZE, search: request.search.trim() };
  const { items, isLast } = await projectPage(site, page);
  const shown = choicesFrom(items, WHOLE, described('key', 'name', 'key'));
  return { items: shown.items, next_cursor: isLast === false ? String(startAt + items.length) : null };
}

const described = (value: string, label: string, hint?: string) => (entry: Json) => {
  if (!isJsonObject(entry)) return {};
  const more = hint === undefined ? undefined : entry[hint];
  return { value: entry[value], label: entry[label], hint: readText(more) };
};

async function issue_types({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const key = request.params['jiraProjectKey'] ?? '';
  const project = objectIn(await resolveSite(caller, config).call({ path: path`/project/${key}`, ...READ }));
  return choicesFrom(listIn(TITLE, project, 'issueTypes'), request, described('name', 'name'));
}

async function transitions({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const address = path`/issue/${request.params['jiraIssueKey'] ?? ''}/transitions`;
  const { body } = await resolveSite(caller, config).call({ path: address, ...READ });
  return choicesFrom(listIn(TITLE, body, 'transitions'), request, described('id', 'name'));
}

/** People, without the accounts of apps. On a server of one's own a dot finds everyone. */
async function users({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const { isCloud, call } = resolveSite(caller, config);
  const address = isCloud ? '/users/search' : '/user/search';
  const query = { maxResults: MOST_USERS, ...(isCloud ? {} : { username: request.search.trim() || '.' }) };
  const { body } = await call({ path: address, query, ...READ });
  const people = listIn(TITLE, body).filter(
    (user) =>
      isJsonObject(user) && user['active'] !== false && (user['accountType'] ?? 'atlassian') === 'atlassian',
  );
  return choicesFrom(
    people,
    request,
    described(isCloud ? 'accountId' : 'name', 'displayName', 'emailAddress'),
  );
}
