import type { ParameterFieldProps } from '../parameter-field-props.ts';
import { ArgumentsField } from './arguments-field.tsx';
import { ConnectionField } from './connection-field.tsx';
import { ConnectionsField } from './connections-field.tsx';
import { ToolField } from './tool-field.tsx';

/** The fields of an MCP call: where the server is, which tool of it, and with which arguments. */
export function McpField(props: ParameterFieldProps) {
  switch (props.meta.kind) {
    case 'mcp_connection':
      return <ConnectionField {...props} />;
    case 'mcp_connections':
      return <ConnectionsField {...props} />;
    case 'mcp_tool':
      return <ToolField {...props} />;
    default:
      return <ArgumentsField {...props} />;
  }
}
