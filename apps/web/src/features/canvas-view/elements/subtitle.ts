import type { JsonObject } from '@millrace/engine';
import { outlineCurl } from '@millrace/nodes/curl';

/** Parameters that say most about a node, the most informative first; the first one that holds text is shown on the card. */
const TELLING = [
  'cronExpression',
  'duration',
  'curl',
  'condition',
  'expression',
  'arrayExpression',
  'variableName',
  'targetWorkflowName',
  'targetNodeLabel',
  'errorMessage',
  'logMessage',
  'message',
  'html',
] as const;

const LONGEST = 60;

function listText(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const keys = value
    .map((row) => (typeof row === 'object' && row !== null && 'key' in row ? String(row.key) : ''))
    .filter(Boolean);
  return keys.length > 0 ? keys.join(', ') : undefined;
}

/** The line under a node's label: what it does, in its own parameters. */
export function buildSubtitle(data: JsonObject): string {
  const duration = data['duration'];
  if (typeof duration === 'number') return `${duration} ms`;
  for (const name of TELLING) {
    const value = data[name];
    if (typeof value === 'string' && value.trim() !== '')
      return shorten(name === 'curl' ? requestIn(value) : value);
  }
  return shorten(listText(data['inputFields']) ?? listText(data['mappings']) ?? '');
}

/** Method, unless an expression decides it, and address of a curl command; one that cannot be read stays as it is. */
function requestIn(curl: string): string {
  const outline = outlineCurl(curl);
  if ('problem' in outline) return curl.replace(/^\s*curl\s+/, '');
  return [outline.method, outline.url].filter(Boolean).join(' ');
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
