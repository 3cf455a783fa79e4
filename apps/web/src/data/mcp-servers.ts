import {
  createMcpServer,
  deleteMcpServer,
  endMcpSession,
  inspectMcp,
  listMcpServers,
  listMcpSessions,
  type McpConfig,
  type McpServerDetails,
  readMcpConfig,
  readMcpServer,
  regenerateMcpKey,
  regenerateMcpServerKey,
  switchMcpServerWorkflow,
  switchMcpWorkflow,
} from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { answersTo, callById, useChange, useEndpoint, useEndpointChange } from './endpoint.ts';

/** Undefined is the default server. */
export type ServerId = string | undefined;

export const useMcpServers = () => useEndpoint(listMcpServers);

export const useMcpServer = (id: ServerId) =>
  useQuery({
    queryKey: id === undefined ? answersTo(readMcpConfig) : answersTo(readMcpServer, { params: { id } }),
    queryFn: ({ signal }): Promise<McpConfig | McpServerDetails> =>
      id === undefined
        ? api(readMcpConfig, {}, { signal })
        : api(readMcpServer, { params: { id } }, { signal }),
  });

/** All that is shown of servers. */
const changed = { renews: [listMcpServers, readMcpConfig, readMcpServer] };

export const useCreateMcpServer = () => useEndpointChange(createMcpServer, changed);

export const useDeleteMcpServer = () => useChange(callById(deleteMcpServer), changed);

export const useReplaceMcpKey = () =>
  useChange(
    (id: ServerId) =>
      id === undefined ? api(regenerateMcpKey, {}) : api(regenerateMcpServerKey, { params: { id } }),
    changed,
  );

interface WorkflowSwitch {
  workflow_id: string;
  enabled: boolean;
  use_new_name: boolean;
}

export const useSwitchMcpWorkflow = (server_id: ServerId) =>
  useChange(
    ({ workflow_id, enabled, use_new_name }: WorkflowSwitch): Promise<unknown> =>
      server_id === undefined
        ? api(switchMcpWorkflow, {
            params: { id: workflow_id },
            body: { mcp_enabled: enabled, use_new_name },
          })
        : api(switchMcpServerWorkflow, {
            params: { server_id, workflow_id },
            body: { enabled, use_new_name },
          }),
    changed,
  );

/** Sends one request to the server as a client would. */
export const useInspectMcp = (server_id: ServerId) =>
  useChange((request: { method: string; params: JsonObject }) =>
    api(inspectMcp, { body: { server_id: server_id ?? null, ...request } }),
  );

/** Clients come and go by themselves, so the list is asked for again while it is shown. */
const SESSIONS_EVERY_MS = 10_000;

export const useMcpSessions = () => useEndpoint(listMcpSessions, {}, { refetchInterval: SESSIONS_EVERY_MS });

export const useEndMcpSession = () =>
  useChange((session_id: string) => api(endMcpSession, { params: { session_id } }), {
    renewsEvenIfRefused: [listMcpSessions],
  });
