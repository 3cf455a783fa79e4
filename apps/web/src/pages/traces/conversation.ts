import { isJsonObject, readText } from '@millrace/engine/json';

const ROLES = ['system', 'user', 'assistant', 'tool'] as const;
export type Role = (typeof ROLES)[number];

export interface ToolCall {
  id: string;
  name: string;
  text: string;
}

/** The words of one side of a conversation, as a person reads them. */
export interface Turn {
  role: Role;
  text: string;
  reasoning: string;
  /** Tools that the model asks for, or what they returned. */
  tools: ToolCall[];
  images: number;
}

type Fields = Readonly<Record<string, unknown>>;
const toFields = (value: unknown): Fields => (isJsonObject(value) ? value : {});
const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
function toToolCall(value: unknown, key: 'arguments' | 'text'): ToolCall {
  const fields = toFields(value);
  return { id: readText(fields['id']), name: readText(fields['name']), text: readText(fields[key]) };
}

function toTurn(value: unknown, fallback: Role): Turn {
  // A list that was cut says in a text how much is missing.
  if (typeof value === 'string') return { role: 'system', text: value, reasoning: '', tools: [], images: 0 };
  const fields = toFields(value);
  const role = ROLES.find((one) => one === fields['role']) ?? fallback;
  return {
    role,
    text: readText(fields['text']),
    reasoning: toList(fields['reasoning'])
      .map((thought) => readText(toFields(thought)['text']))
      .filter((text) => text !== '')
      .join('\n\n'),
    tools:
      role === 'tool'
        ? toList(fields['results']).map((result) => toToolCall(result, 'text'))
        : toList(fields['tool_calls']).map((call) => toToolCall(call, 'arguments')),
    images: toList(fields['images']).length,
  };
}

/** The turns of a chat, its answer last; undefined for calls that are no conversation. */
export function parseConversation(
  request_type: string,
  { request, response }: { request: unknown; response: unknown },
): Turn[] | undefined {
  const { system, messages } = toFields(request);
  if (request_type !== 'chat' || !Array.isArray(messages)) return undefined;
  const instruction = readText(system);
  return [
    ...(instruction === '' ? [] : [toTurn({ role: 'system', text: instruction }, 'system')]),
    ...messages.map((message) => toTurn(message, 'user')),
    ...(response === null || response === undefined ? [] : [toTurn(response, 'assistant')]),
  ];
}
