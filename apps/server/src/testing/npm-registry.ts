import { execFileSync } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Of this machine, which containers of tests cannot reach or trust everywhere. */
const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' })
  .trim()
  .replace(/\/$/, '');

/** An answer of the real registry, with its addresses replaced. */
async function passOn(path: string, response: ServerResponse, own: string): Promise<void> {
  try {
    const answer = await fetch(`${registry}${path}`);
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    response.writeHead(answer.status);
    response.end(
      isJson ? (await answer.text()).replaceAll(registry, own) : Buffer.from(await answer.arrayBuffer()),
    );
  } catch (error) {
    response.writeHead(502).end(JSON.stringify({ error: String(error) }));
  }
}

export const getServerUrl = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/**
 * A registry on this machine that asks the real one.
 *
 * @param answer packages of the test: whether it has answered
 */
export function serveRegistry(
  answer: (request: IncomingMessage, response: ServerResponse, own: string) => boolean = () => false,
): Promise<Server> {
  const server = createServer((request, response) => {
    const own = getServerUrl(server);
    if (!answer(request, response, own)) void passOn(request.url ?? '', response, own);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
