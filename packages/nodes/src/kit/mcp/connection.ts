import { field } from '@millrace/engine';
import { z } from 'zod';

const entry = (title: string) => field.custom(z.string(), title, { kind: 'expression', mode: 'prompt' });

/** A connection to an MCP server as nodes and exports store it. */
export const mcpConnection = z.looseObject({
  transport: z.enum(['streamable_http', 'sse', 'stdio']).optional(),
  label: z.string().optional(),
  url: entry('Server URL').optional(),
  /** A credential that holds the rest; address and headers are then not read. */
  credentialId: field
    .custom(z.string(), 'MCP server', { kind: 'credential', credential_types: ['mcp'] })
    .optional(),
  /** Of the transport stdio: the program, its arguments as a list, its JSON text or words, and its variables. */
  command: entry('Command').optional(),
  args: z.union([z.array(entry('Argument')), entry('Arguments')]).optional(),
  env: z.union([z.record(z.string(), entry('Variable')), entry('Variables')]).optional(),
  /** Further packages, one a line. */
  packages: z.string().optional(),
  /** For a program with packages. */
  allowNetwork: z.boolean().optional(),
  headers: z.union([z.record(z.string(), entry('Header')), entry('Headers')]).optional(),
});
