import type { SavedWorkflow } from '@millrace/contracts';

/** The settings of a workflow that the endpoint dialog changes. */
export type SettingsChange = Partial<
  Pick<
    SavedWorkflow,
    | 'auth_type'
    | 'auth_header_key'
    | 'auth_header_value'
    | 'http_method'
    | 'webhook_body_mode'
    | 'cache_ttl_seconds'
    | 'rate_limit_requests'
    | 'rate_limit_window_seconds'
    | 'sse_enabled'
    | 'sse_node_config'
  >
>;
