import type * as contracts from '@millrace/contracts';
import { isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import {
  type McpServer,
  openMcpSession,
  type ProgramJob,
  serverOfConnection,
  serverOfCredential,
} from '@millrace/nodes/runtime';
import type { z } from 'zod';
import { invalidField } from '../../../core/app-error.ts';
import type { ProgramSandbox } from '../../../ports/sandbox.ts';
import type { Needs } from '../../../services.ts';
import { type ServiceAccess, withoutSecrets } from '../../credentials/calls/service-caller.ts';
import type { Renewals } from '../../credentials/oauth/renewals.ts';
import { requireReadable, requireType, requireUsable } from '../../credentials/service.ts';

type Connection = z.output<typeof contracts.fetchMcpTools.body>['connection'];

const PLACE = ['body', 'connection'];

/** A server, and its words without what must not be in them. */
interface Asked {
  readonly server: McpServer;
  readonly shown?: (words: string) => string;
}

/**
 * Tools of another server, for everyone who may use its credential: a run of theirs would see the same. With a credential,
 * the address is the credential's own, for a shared secret goes only where its owner said.
 */
export async function fetchTools(
  ctx: Needs<'db' | 'actor' | 'secrets' | 'now'>,
  { egress, renewals, programs }: ServiceAccess & { readonly programs: ProgramSandbox },
  connection: Connection,
): Promise<{ tools: contracts.McpServerTool[] }> {
  const { credential_id, timeoutSeconds } = connection;
  const timeout_ms = timeoutSeconds * 1000;
  let shown: Asked['shown'];
  try {
    const asked = credential_id
      ? await storedServer(ctx, renewals, credential_id)
      : writtenServer(connection);
    shown = asked.shown;
    const caller = {
      http: egress,
      startProgram: (job: ProgramJob) => programs.startProgram(job),
      now: ctx.now,
      signal: new AbortController().signal,
      timeout_ms,
    };
    const session = openMcpSession(caller, asked.server, 'url');
    const tools = await session.listTools().finally(() => session.close());
    return { tools: tools.map(toTool) };
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    const { message } = error.failure;
    throw invalidField(PLACE, shown?.(message) ?? message);
  }
}

async function storedServer(
  ctx: Needs<'db' | 'actor' | 'secrets'>,
  renewals: Renewals,
  id: string,
): Promise<Asked> {
  const { credential } = await requireUsable(ctx, id);
  if (credential.type !== 'mcp') {
    throw invalidField([...PLACE, 'credential_id'], 'is not a credential of the type MCP server');
  }
  const type = requireType('mcp');
  let config = await renewals.fresh(credential, requireReadable(ctx, credential));
  const server = serverOfCredential(config, async (refused) => {
    config = await renewals.fresh(credential, config, { refused });
    return config;
  });
  return { server, shown: (words) => withoutSecrets(words, type, config) };
}

/** Expressions have no value outside of a run. */
function writtenServer(connection: Connection): Asked {
  const { transport, url, headers, command, args, env, packages, allowNetwork } = connection;
  const written = { transport, url, headers, command, args, env, packages, allowNetwork };
  if (JSON.stringify(written).includes('$')) {
    throw invalidField(
      PLACE,
      'has expressions, which have no value before a run; choose a credential instead',
    );
  }
  return { server: serverOfConnection(written as JsonObject, 'connection') };
}

type Listed = Awaited<ReturnType<ReturnType<typeof openMcpSession>['listTools']>>[number];

function toTool({
  name,
  title,
  description = '',
  inputSchema,
  annotations,
}: Listed): contracts.McpServerTool {
  const schema: Json = inputSchema as JsonObject;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: isJsonObject(schema) ? schema : {},
    ...(annotations === undefined ? {} : { annotations }),
  };
}
