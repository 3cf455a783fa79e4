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
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

/** Undefined is the default server. */
export type ServerId = string | undefined;

export const useMcpServers = () =>
  useQuery({ queryKey: keys.mcpServers, queryFn: ({ signal }) => api(listMcpServers, {}, { signal }) });

export const useMcpServer = (id: ServerId) =>
  useQuery({
    queryKey: keys.mcpServer(id),
    queryFn: ({ signal }): Promise<McpConfig | McpServerDetails> =>
      id === undefined
        ? api(readMcpConfig, {}, { signal })
        : api(readMcpServer, { params: { id } }, { signal }),
  });

/** Changes of servers; every one renews what is shown of them. */
function useServerChange<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: keys.mcpServers }),
  });
}

export const useCreateMcpServer = () =>
  useServerChange((body: { name: string }) => api(createMcpServer, { body }));

export const useDeleteMcpServer = () =>
  useServerChange((id: string) => api(deleteMcpServer, { params: { id } }));

export const useReplaceMcpKey = () =>
  useServerChange((id: ServerId) =>
    id === undefined ? api(regenerateMcpKey, {}) : api(regenerateMcpServerKey, { params: { id } }),
  );

interface WorkflowSwitch {
  workflow_id: string;
  enabled: boolean;
  use_new_name: boolean;
}

export const useSwitchMcpWorkflow = (server_id: ServerId) =>
  useServerChange(({ workflow_id, enabled, use_new_name }: WorkflowSwitch) =>
    server_id === undefined
      ? api(switchMcpWorkflow, { params: { id: workflow_id }, body: { mcp_enabled: enabled, use_new_name } })
      : api(switchMcpServerWorkflow, { params: { server_id, workflow_id }, body: { enabled, use_new_name } }),
  );

/** Sends one request to the server as a client would. */
export const useInspectMcp = (server_id: ServerId) =>
  useMutation({
    mutationFn: (request: { method: string; params: JsonObject }) =>
      api(inspectMcp, { body: { server_id: server_id ?? null, ...request } }),
  });

/** Clients come and go by themselves, so the list is asked for again while it is shown. */
const SESSIONS_EVERY_MS = 10_000;

export const useMcpSessions = () =>
  useQuery({
    queryKey: keys.mcpSessions,
    queryFn: ({ signal }) => api(listMcpSessions, {}, { signal }),
    refetchInterval: SESSIONS_EVERY_MS,
  });

export function useEndMcpSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (session_id: string) => api(endMcpSession, { params: { session_id } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.mcpSessions }),
  });
}
