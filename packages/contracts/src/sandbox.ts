import { z } from 'zod';
import { endpoint } from './endpoint.ts';

export const sandboxState = z.object({
  /** `unknown` when the container engine takes too long to answer. */
  status: z.enum(['ready', 'unavailable', 'unknown']),
  /** Version of the container engine. */
  engine: z.string().nullable(),
  /** Says what is missing and how to get it. */
  problem: z.string().nullable(),
  browser_problem: z.string().nullable().describe('What only Playwright nodes lack, and how to get it.'),
  /** The sandbox that runs Python tools of agents (`PLATFORM_PYTHON_TOOL_SANDBOX`). */
  python_tools: z.enum(['container', 'subprocess']),
});
export type SandboxState = z.infer<typeof sandboxState>;

export const readSandbox = endpoint({
  id: 'readSandbox',
  method: 'GET',
  path: '/api/config/sandbox',
  tag: 'Sandbox',
  summary: 'Whether code of users can be run, and what is missing otherwise',
  auth: 'session',
  response: sandboxState,
});

export const sandboxEndpoints = [readSandbox];
