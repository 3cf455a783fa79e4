/**
 * Tool calls of MCP clients beside execute calls of the same workflow, in turns on the same process, and what a process needs
 * for open event streams. `npm run bench -- mcp [--quick]`. Ends by itself; needs nothing.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { chain, signUp } from './support/client.ts';
import { compare, generator } from './support/load.ts';
import { startMillrace } from './support/processes.ts';
import { printTable } from './support/table.ts';

const quick = process.argv.includes('--quick');
const SECONDS = quick ? 1 : 6;
const ROUNDS = quick ? 2 : 5;
const CONNECTIONS = 32;
const STREAMS = 1_000;
const SETTLE_MS = 2_000;
const INPUT = { text: 'hello' };

const server = await startMillrace();
const client = await signUp(server.url);
const headers = { 'x-mcp-key': await client.mcpKey() };

/** Resident memory and heap without and with the streams, which are held open meanwhile. */
async function streams(): Promise<(string | number)[][]> {
  await pause(SETTLE_MS);
  const before = ['no stream', server.memory(), await server.heap(), ''];
  const started_ms = performance.now();
  const closing = new AbortController();
  // An answer that nothing refers to is collected, and its connection closed.
  const open: Response[] = [];
  for (let opened = 0; opened < STREAMS; opened += CONNECTIONS) {
    const batch = Array.from({ length: Math.min(CONNECTIONS, STREAMS - opened) }, async () => {
      const answer = await fetch(`${server.url}/api/mcp/sse`, { headers, signal: closing.signal });
      if (!answer.ok) throw new Error(`a stream answered ${answer.status}`);
      open.push(answer);
    });
    await Promise.all(batch);
  }
  const rate = Math.round(STREAMS / ((performance.now() - started_ms) / 1000));
  await pause(SETTLE_MS);
  const after = [`${open.length} streams`, server.memory(), await server.heap(), rate];
  closing.abort();
  await pause(SETTLE_MS);
  return [before, after];
}

async function calls(): Promise<(string | number)[][]> {
  const url = await client.workflow(chain(1), { name: 'Bench', mcp_enabled: true });
  const call = { name: 'bench', arguments: INPUT };
  const transports = [
    ['POST /api/mcp/tools/call', '/api/mcp/tools/call', call],
    [
      'POST /api/mcp/sse (JSON-RPC)',
      '/api/mcp/sse',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
    ],
  ] as const;
  const rows: (string | number)[][] = [];
  for (const [name, path, message] of transports) {
    const measured = { server, url: `${server.url}${path}`, body: JSON.stringify(message), headers };
    const options = { body: JSON.stringify(INPUT), connections: CONNECTIONS, seconds: SECONDS };
    const found = await compare({ yardstick: { server, url }, measured }, options, ROUNDS);
    const { measured: tool, yardstick: execute, ratio } = found;
    const figures = [tool.per_second, execute.per_second, ratio.toFixed(2)];
    rows.push([name, ...figures, tool.p99_ms, execute.p99_ms, tool.failed]);
  }
  return rows;
}

console.log(`load by ${generator}`);
// First, because memory says little after a load.
printTable(['open event streams', 'resident MB', 'heap MB', 'opened per s'], await streams());
const headings = ['transport', 'calls/s', 'execute/s', 'of execute', 'p99 ms', 'execute p99 ms', 'failed'];
printTable(headings, await calls());
await server.stop();
