// A durable workflow of one step behind HTTP, as the documentation of DBOS Transact writes one. Its package is installed elsewhere.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const { DBOS } = createRequire(`${process.env.DBOS_PACKAGE}/package.json`)('@dbos-inc/dbos-sdk');

async function run(body) {
  return await DBOS.runStep(async () => ({ text: body.text }), { name: 'set' });
}
const workflow = DBOS.registerWorkflow(run, { name: 'bench' });

DBOS.setConfig({ name: 'bench', systemDatabaseUrl: process.env.DATABASE_URL });
await DBOS.launch();

async function readBody(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

const server = createServer(async (request, response) => {
  try {
    const result = await workflow(await readBody(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
