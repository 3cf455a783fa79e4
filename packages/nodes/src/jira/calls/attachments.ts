import { isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { bytesOfBase64, typeOfDataUrl } from '../../kit/files/base64.ts';
import { path } from '../../kit/integration/call-json.ts';
import { requiredText } from '../../kit/integration/object-input.ts';
import { listIn } from '../../kit/integration/paging.ts';
import {
  type Act,
  buildIssuePath,
  isDeleted,
  type Jira,
  objectIn,
  type Params,
  READ,
  TITLE,
} from './connection.ts';
import { sliced } from './lists.ts';

/** Without it uploads are taken for forged forms. */
const NO_CHECK = { 'x-atlassian-token': 'no-check' };

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-attachments/ */
export const ATTACHMENTS = {
  async addAttachment({ params, call }) {
    const content = requiredText(params, 'jiraAttachmentBase64');
    const bytes = bytesOfBase64(content, 'jiraAttachmentBase64');
    const type = params.jiraAttachmentMimeType.trim() || typeOfDataUrl(content);
    const form = new FormData();
    const file = new Blob([bytes], type === '' ? {} : { type });
    form.append('file', file, requiredText(params, 'jiraAttachmentFilename'));
    const { body } = await call({
      method: 'POST',
      path: `${buildIssuePath(params)}/attachments`,
      headers: NO_CHECK,
      form,
      effect: 'unsafe',
    });
    const attachments = listIn(TITLE, body);
    return { attachments, count: attachments.length };
  },
  async getAttachment(jira) {
    const attachment = objectIn(await jira.call({ path: buildAttachmentPath(jira.params), ...READ }));
    return { attachment: await withContent(jira, attachment) };
  },
  async listAttachments(jira) {
    const { params, call } = jira;
    const issue = objectIn(
      await call({ path: buildIssuePath(params), query: { fields: 'attachment' }, ...READ }),
    );
    const all = listIn(TITLE, issue['fields'] ?? null, 'attachment');
    const { entries, pagination } = sliced(params, all);
    const attachments: Json[] = [];
    // One after another, for each may be large.
    for (const entry of entries)
      attachments.push(isJsonObject(entry) ? await withContent(jira, entry) : entry);
    return { attachments, count: attachments.length, pagination };
  },
  async deleteAttachment(jira) {
    return { deleted: await isDeleted(jira, buildAttachmentPath(jira.params)) };
  },
} satisfies Record<string, Act>;

const buildAttachmentPath = (params: Params): string =>
  path`/attachment/${requiredText(params, 'jiraAttachmentId')}`;

async function withContent(jira: Jira, attachment: JsonObject): Promise<JsonObject> {
  if (!jira.params.jiraIncludeBinary) return attachment;
  return { ...attachment, content_base64: await fetchContent(jira, attachment) };
}

/** The cloud is asked for the content itself and not for a redirect, for redirects are not followed. */
async function fetchContent(
  { isCloud, connection, download }: Jira,
  { id, content }: JsonObject,
): Promise<Json> {
  if (isCloud && (typeof id === 'string' || typeof id === 'number')) {
    return download({ path: path`/attachment/content/${id}`, query: { redirect: false }, ...READ });
  }
  // The answer names the address of the content; the credential is sent there only when it is on the same server.
  const base_url = connection.service.base_url.replace(/\/rest\/api\/[^/]+$/, '');
  if (typeof content === 'string' && content.startsWith(`${base_url}/`)) {
    const from = { ...connection, service: { ...connection.service, base_url } };
    return download({ path: content.slice(base_url.length), ...READ }, from);
  }
  throw new NodeFailure({
    kind: 'upstream',
    message: `${TITLE} keeps the content of this attachment at another address than the base URL of the credential`,
  });
}
