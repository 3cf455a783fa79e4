import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { unknownOutcome } from '../kit/integration/operations.ts';
import { mcpConnection } from '../kit/mcp/connection.ts';
import { mcpCredential } from './credential.ts';

export const mcpCall = defineNode({
  type: 'mcpCall',
  title: 'MCP Call',
  family: 'integration',
  summary: 'Calls a tool of an MCP server.',
  icon: 'plug',
  credentials: [mcpCredential],
  params: z.object({
    credentialId: field
      .text('MCP server', {
        kind: 'credential',
        credential_types: ['mcp'],
        help: 'Leave it empty to enter the connection below.',
      })
      .default(''),
    connection: field
      .custom(mcpConnection, 'Connection', {
        kind: 'mcp_connection',
        shown_when: [{ field: 'credentialId', is: ['', null] }],
      })
      .default({}),
    selectedTool: field
      .template('Tool', { kind: 'mcp_tool', when_empty: 'Choose the tool to call' })
      .default(''),
    toolArguments: field
      .custom(
        z.record(z.string(), field.custom(z.json(), 'Argument', { kind: 'expression', mode: 'template' })),
        'Arguments',
        { kind: 'mcp_arguments', help: 'Checked against what the tool accepts before it is called.' },
      )
      .default({}),
    timeoutSeconds: field
      .custom(z.number().min(1).max(3600), 'Time limit in seconds', { kind: 'number' })
      .default(30),
    onUnknownOutcome: unknownOutcome(),
  }),
  initial: { label: 'mcpCall', credentialId: '', selectedTool: '', toolArguments: {} },
  output: z.object({ result: z.json() }),
  effect: 'steps',
});
