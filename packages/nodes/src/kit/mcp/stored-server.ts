import type { NodeCall } from '../../implement.ts';
import { mcpCredential } from '../../mcp-call/credential.ts';
import { readCredential } from '../integration/run-caller.ts';
import { type McpServer, serverOfCredential } from './server.ts';

/** The server of a credential in a run; a token that the server refuses is renewed once. */
export async function storedServer(
  { services }: Pick<NodeCall, 'services'>,
  credentialId: string,
): Promise<McpServer> {
  const config = await readCredential({ services, params: { credentialId } }, mcpCredential);
  return serverOfCredential(
    config,
    async (refused) => (await services.renewedCredential(credentialId, refused)).values,
  );
}
