import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import { requestBaseUrl } from '../../http/request-url.ts';
import { createRenewals } from '../credentials/oauth/renewals.ts';
import { createCancellations } from './http/cancellations.ts';
import { inspectServer } from './http/inspect.ts';
import { createStreamable } from './http/streamable.ts';
import { createMcpStreams, type McpStreams } from './http/streams.ts';
import type { ToolServerNeeds } from './http/tool-server.ts';
import { bindTransports } from './http/transports.ts';
import * as servers from './servers.ts';
import * as service from './service.ts';
import * as sessions from './sessions.ts';
import { fetchTools } from './tools/fetch.ts';

function bindSettings(binder: Binder): void {
  const { services } = binder;
  const { database, egress } = services;
  const programs = services.sandboxes.programs;
  const access = { egress, programs, renewals: createRenewals({ ...services, db: database.db }) };
  binder.json(contracts.readMcpConfig, (context, _received, { request }) =>
    service.readConfig(context, requestBaseUrl(services, request)),
  );
  binder.json(contracts.regenerateMcpKey, (context) =>
    service.regenerateKey(context, service.defaultToolset(context)),
  );
  binder.json(contracts.switchMcpWorkflow, (context, { params: { id }, body }) =>
    service.switchWorkflow(context, service.defaultToolset(context), {
      id,
      enabled: body.mcp_enabled,
      use_new_name: body.use_new_name,
    }),
  );
  binder.json(contracts.fetchMcpTools, (context, { body }) => fetchTools(context, access, body.connection));
}

/** Servers beside the default one. */
function bindServers(binder: Binder): void {
  const { services } = binder;
  binder.json(contracts.listMcpServers, (context, _received, { request }) =>
    servers.listServers(context, requestBaseUrl(services, request)),
  );
  binder.json(contracts.createMcpServer, (context, { body }, { request }) =>
    servers.createServer(context, body.name, requestBaseUrl(services, request)),
  );
  binder.json(contracts.readMcpServer, (context, { params }, { request }) =>
    servers.readServer(context, params.id, requestBaseUrl(services, request)),
  );
  binder.json(contracts.deleteMcpServer, async (context, { params }) => {
    await servers.deleteServer(context, params.id);
    return undefined;
  });
  binder.json(contracts.regenerateMcpServerKey, async (context, { params }) =>
    service.regenerateKey(context, await servers.requireToolset(context, params.id)),
  );
  binder.json(contracts.switchMcpServerWorkflow, async (context, { params, body }) => {
    const toolset = await servers.requireToolset(context, params.server_id);
    return service.switchWorkflow(context, toolset, { id: params.workflow_id, ...body });
  });
}

function bindInspector(binder: Binder, needs: ToolServerNeeds): void {
  binder.json(contracts.inspectMcp, async (context, { body }) => {
    const { server_id, ...request } = body;
    const toolset = server_id
      ? await servers.requireToolset(context, server_id)
      : service.defaultToolset(context);
    const { client_ip: ip, request_id } = context;
    return { frames: await inspectServer(needs, { toolset, ip, request_id }, request) };
  });
}

function bindSessions(binder: Binder, streams: McpStreams): void {
  binder.json(contracts.listMcpSessions, (context) =>
    sessions.listSessions(context, (id) => streams.isOpen(id)),
  );
  binder.json(contracts.endMcpSession, async (context, { params }) => {
    await sessions.endSession(context, params.session_id);
    return undefined;
  });
}

/** Workflows as tools of MCP clients (§4.3, §5.6), at the default server and at those that people name. */
export function bindMcp(binder: Binder): void {
  const { services } = binder;
  const cancellations = createCancellations(services.broadcast);
  const streams = createMcpStreams(services);
  const streamable = createStreamable({ services, cancellations });
  // Before the server waits for its connections: open streams are some of them.
  binder.app.addHook('preClose', async () => {
    cancellations.close();
    streams.close();
    await streamable.close();
  });

  bindSettings(binder);
  bindServers(binder);
  bindSessions(binder, streams);
  bindInspector(binder, { services, cancellations });
  for (const transports of [contracts.defaultMcpTransports, contracts.serverMcpTransports])
    bindTransports(binder, { services, cancellations, streams, streamable }, transports);
}
