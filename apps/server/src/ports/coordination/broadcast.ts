/**
 * Hints between processes: a workflow changed, a run wants cancelling, a watched run moved on. Never the truth: every
 * receiver can also find out by itself, and a lost hint costs time, not correctness.
 */
export interface Broadcast {
  publish(channel: BroadcastChannel, payload: string): void;
  /** Also receives what this process published. The returned function ends the subscription. */
  subscribe(channel: BroadcastChannel, receive: (payload: string) => void): () => void;
  close(): Promise<void>;
}

/**
 * `workflow_changed`: workflow id. `access_changed`: `workflow:<id>` or `user:<id>`. `cancel`, `decided`, `wake`:
 * run id. `mcp_answer`: stream and name of an answer in the shared store. `mcp_cancel`: whose request, and its id.
 * `mcp_tools_changed`: user id. `chat_stopped`: id of an answer.
 */
export type BroadcastChannel =
  | 'workflow_changed'
  | 'access_changed'
  | 'cancel'
  | 'decided'
  | 'wake'
  | 'mcp_answer'
  | 'mcp_cancel'
  | 'mcp_tools_changed'
  | 'chat_stopped';
