import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(403, { 'content-type': 'application/json' }).end('{"error":{"message":"not for you"}}');
});
server.listen(0, '127.0.0.1').unref();
await once(server, 'listening');

const { port } = server.address() as AddressInfo;

/** Refuses every call at once. One that could not be reached would be asked again for seconds. */
export const refusingService = { host: '127.0.0.1', port, url: `http://127.0.0.1:${port}` };
