import type { Db } from '../../database/database.ts';
import { documentText } from '../analysis-documents/service.ts';
import { type Page, type PageRange, pageByName } from './page.ts';
import type { Toolset } from './queries.ts';
import { toolsByName } from './tools/tool-names.ts';

const SCHEME = 'millrace://workflows/';

export const RESOURCE_TEMPLATE = {
  uriTemplate: `${SCHEME}{id}`,
  name: 'workflow',
  title: 'Workflow',
  description: 'Description and guide of a workflow that is a tool, by the id of the workflow',
  mimeType: 'text/markdown',
};

export interface GuideResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: 'text/markdown';
}

const guide = (name: string, workflow: { readonly id: string; readonly name: string }): GuideResource => ({
  uri: `${SCHEME}${workflow.id}`,
  name,
  title: workflow.name,
  description: `Description and guide of the tool "${name}"`,
  mimeType: 'text/markdown',
});

/** One resource per tool of the server: what people wrote about the workflow. */
export async function listResources(
  db: Db,
  toolset: Toolset,
  range: PageRange,
): Promise<Page<GuideResource>> {
  const { items, next } = pageByName(await toolsByName(db, toolset), range);
  return { items: items.map(([name, workflow]) => guide(name, workflow)), next };
}

/**
 * Name, description and analysis document of the workflow as Markdown, for those who see the document anyway (§5.8).
 *
 * @returns undefined when the server has no such resource
 */
export async function readResource(
  db: Db,
  toolset: Toolset,
  uri: string,
): Promise<{ uri: string; mimeType: string; text: string } | undefined> {
  const tools = await toolsByName(db, toolset);
  const found = [...tools].find(([, { id }]) => uri === `${SCHEME}${id}`);
  if (!found) return undefined;
  const [name, workflow] = found;
  const document = await documentText(db, workflow.id);
  const parts = [`# ${workflow.name}`, `Tool: \`${name}\``, workflow.description, document];
  const text = parts.filter((part) => part?.trim()).join('\n\n');
  return { uri, mimeType: 'text/markdown', text };
}
