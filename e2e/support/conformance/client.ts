// The client of the mcpCall node for the official conformance suite, which starts it with the address of its own server.
import { openMcpSession } from '@millrace/nodes/runtime';
import { streamingEgress } from '@millrace/nodes/testing/real-egress';

const url = process.argv.at(-1) ?? '';
const caller = {
  http: streamingEgress(),
  now: Date.now,
  signal: new AbortController().signal,
  timeout_ms: 20_000,
};
const session = openMcpSession(caller, { transport: 'streamable_http', url, headers: {} }, 'url');
const input: Readonly<Record<string, Record<string, number>>> = { add_numbers: { a: 2, b: 3 } };
try {
  for (const tool of await session.listTools())
    await session.callTool({ tool, input: input[tool.name] ?? {} });
} finally {
  await session.close();
}
