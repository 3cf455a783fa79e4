/** Labels of run history by origin (§6.3). A caller of the API may give any other text. */
export const TRIGGER_SOURCES = {
  api: 'API',
  canvas: 'Canvas',
  quick_drawer: 'Quick Drawer',
  cron: 'cron',
  imap: 'imap',
  websocket: 'websocket',
  file_upload: 'file_upload',
  webhook: 'webhook',
  chatbot: 'telegram',
  interactions: 'Discord',
  slack: 'Slack',
  booking: 'Cal.com',
  platform_event: 'heym_event',
  mcp: 'MCP',
  portal: 'portal',
  assistant: 'dashboard_chat',
  board: 'board',
  alert: 'alert',
  eval: 'eval',
  agent: 'AI Agents',
  sub_workflow: 'SUB_WORKFLOW',
  error_workflow: 'error_workflow',
} as const;

const KNOWN: ReadonlySet<string> = new Set(Object.values(TRIGGER_SOURCES));

/** One of few words, so that metrics by origin stay few. */
export function sourceKind(trigger_source: string | null): string {
  if (trigger_source === null) return 'queue';
  return KNOWN.has(trigger_source) ? trigger_source : 'custom';
}
