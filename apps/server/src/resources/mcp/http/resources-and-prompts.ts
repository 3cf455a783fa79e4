import type { Server } from '@modelcontextprotocol/server';
import type { Db } from '../../../database/database.ts';
import { getPrompt, listPrompts } from '../prompts.ts';
import type { Toolset } from '../queries.ts';
import { listResources, RESOURCE_TEMPLATE, readResource } from '../resources.ts';
import { nextCursor, parseRange, RPC } from './rpc.ts';

type Sdk = typeof import('@modelcontextprotocol/server');

export interface OfferNeeds {
  readonly sdk: Pick<Sdk, 'ProtocolError' | 'ResourceNotFoundError'>;
  readonly db: Db;
  readonly toolset: Toolset;
}

/** Guides of the server's workflows. The list is that of the tools, and changes with it. */
export function offerResources(server: Server, { sdk, db, toolset }: OfferNeeds): void {
  server.setRequestHandler('resources/list', async ({ params }) => {
    const { items, next } = await listResources(db, toolset, parseRange(params));
    return { resources: items, ...nextCursor(next) };
  });
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [RESOURCE_TEMPLATE] }));
  server.setRequestHandler('resources/read', async ({ params }) => {
    const content = await readResource(db, toolset, params.uri);
    if (!content) throw new sdk.ResourceNotFoundError(params.uri);
    return { contents: [content] };
  });
}

/** A key for chosen workflows opens no templates, so only the default server offers them. */
export const hasPrompts = ({ server_id }: Toolset): boolean => server_id === null;

/** Templates of the person. */
export function offerPrompts(server: Server, { sdk, db, toolset: { user_id } }: OfferNeeds): void {
  server.setRequestHandler('prompts/list', async ({ params }) => {
    const { items, next } = await listPrompts(db, user_id, parseRange(params));
    return { prompts: items, ...nextCursor(next) };
  });
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: given } }) => {
    const found = await getPrompt(db, user_id, { name, goal: given?.['goal'] });
    if (!found) throw new sdk.ProtocolError(RPC.invalid_params, `There is no prompt "${name}"`);
    const { title, text } = found;
    return { description: title, messages: [{ role: 'user', content: { type: 'text', text } }] };
  });
}
