// The GraphQL documents of the node; https://linear.app/developers/graphql has the schema.

const PAGE_INFO = 'pageInfo { hasNextPage endCursor }';
const ISSUE = `
  id identifier number title description priority priorityLabel estimate dueDate url createdAt updatedAt completedAt
  state { id name type } team { id key name } assignee { id name email } creator { id name }
  project { id name } labels { nodes { id name } }`;
const COMMENT = `
  id body url createdAt updatedAt resolvedAt user { id name } parent { id } issue { id identifier }`;
const USER = 'id name displayName email active';

const paged = (fields: string): string => `nodes { ${fields} } ${PAGE_INFO}`;

export const DOCUMENTS = {
  viewer: `query Viewer { viewer { ${USER} admin organization { id name urlKey } } }`,
  teams: `query Teams($first: Int!, $after: String) {
    teams(first: $first, after: $after) { ${paged('id key name description')} } }`,
  projects: `query Projects($first: Int!, $after: String) {
    projects(first: $first, after: $after) { ${paged('id name description url')} } }`,
  teamProjects: `query TeamProjects($team: String!, $first: Int!, $after: String) {
    team(id: $team) { projects(first: $first, after: $after) { ${paged('id name description url')} } } }`,
  states: `query States($filter: WorkflowStateFilter, $first: Int!, $after: String) {
    workflowStates(filter: $filter, first: $first, after: $after) {
      ${paged('id name type color position team { id key name }')} } }`,
  members: `query Members($team: String!, $first: Int!, $after: String) {
    team(id: $team) { members(first: $first, after: $after) { ${paged(USER)} } } }`,
  issues: `query Issues($filter: IssueFilter, $first: Int!, $after: String) {
    issues(filter: $filter, first: $first, after: $after) { ${paged(ISSUE)} } }`,
  issue: `query Issue($id: String!) { issue(id: $id) { ${ISSUE} } }`,
  comments: `query Comments($id: String!, $first: Int!, $after: String) {
    issue(id: $id) { comments(first: $first, after: $after) { ${paged(COMMENT)} } } }`,
  issueCreate: `mutation IssueCreate($input: IssueCreateInput!) {
    issueCreate(input: $input) { success issue { ${ISSUE} } } }`,
  issueUpdate: `mutation IssueUpdate($id: String!, $input: IssueUpdateInput!) {
    issueUpdate(id: $id, input: $input) { success issue { ${ISSUE} } } }`,
  issueDelete: 'mutation IssueDelete($id: String!) { issueDelete(id: $id) { success } }',
  attachmentLinkURL: `mutation LinkUrl($issueId: String!, $url: String!, $title: String) {
    attachmentLinkURL(issueId: $issueId, url: $url, title: $title) {
      success attachment { id url title subtitle createdAt } } }`,
  commentCreate: `mutation CommentCreate($input: CommentCreateInput!) {
    commentCreate(input: $input) { success comment { ${COMMENT} } } }`,
  commentUpdate: `mutation CommentUpdate($id: String!, $input: CommentUpdateInput!) {
    commentUpdate(id: $id, input: $input) { success comment { ${COMMENT} } } }`,
  commentResolve: `mutation CommentResolve($id: String!) {
    commentResolve(id: $id) { success comment { ${COMMENT} } } }`,
  commentUnresolve: `mutation CommentUnresolve($id: String!) {
    commentUnresolve(id: $id) { success comment { ${COMMENT} } } }`,
  commentDelete: 'mutation CommentDelete($id: String!) { commentDelete(id: $id) { success entityId } }',
} as const;
