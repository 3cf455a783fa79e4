import type { JsonObject } from '@millrace/engine';

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
export function subtitleOf(data: JsonObject): string {
  const duration = data['duration'];
  if (typeof duration === 'number') return `${duration} ms`;
  for (const name of TELLING) {
    const value = data[name];
    if (typeof value === 'string' && value.trim() !== '')
      return shorten(name === 'curl' ? requestIn(value) : value);
  }
  return shorten(listText(data['inputFields']) ?? listText(data['mappings']) ?? '');
}

const METHOD = /(?:^|\s)(?:-X\s*|--request[\s=]+)['"]?([A-Za-z]+)/;
const ADDRESS =
  /(?:^|\s)(?:--url[\s=]+)?(?:"([^"\s]*:\/\/[^"]*)"|'([^'\s]*:\/\/[^']*)'|([^\s'"]*:\/\/\S*|\$\S+))/;
const BODY = /(?:^|\s)(?:-d|-F|--data[a-z-]*|--form|--json)[\s=]/;

/** Method and address of a curl command; without an address, the command as it is. */
function requestIn(curl: string): string {
  const options = curl.replace(/^\s*curl\s+/, '');
  const [, ...addresses] = ADDRESS.exec(options) ?? [];
  const address = addresses.find((found) => found !== undefined);
  if (address === undefined) return options;
  const method = METHOD.exec(options)?.[1] ?? (BODY.test(options) ? 'POST' : 'GET');
  return `${method.toUpperCase()} ${address}`;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
