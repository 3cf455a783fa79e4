import type { TestUser } from '../../../testing/test-app.ts';

/** Stores the credential of a server with the API of OpenAI; resolves to its id. */
export async function storeModelCredential(
  user: TestUser,
  base_url: string,
  api_key = 'model-key-1',
): Promise<string> {
  const body = { name: 'model', type: 'custom', config: { api_key, base_url } };
  const made = await user.call('POST', '/api/credentials', body);
  return made.json<{ id: string }>().id;
}
