const ROLES = ['system', 'user', 'assistant', 'tool'] as const;
export type Role = (typeof ROLES)[number];

export interface ToolCall {
  id: string;
  name: string;
  text: string;
}

/** What was said by one side of a conversation, as a person reads it. */
export interface Turn {
  role: Role;
  text: string;
  reasoning: string;
  /** Tools that the model asks for, or what they returned. */
  tools: ToolCall[];
  images: number;
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function toolOf(value: unknown, key: 'arguments' | 'text'): ToolCall {
  const fields = fieldsOf(value);
  return { id: textOf(fields['id']), name: textOf(fields['name']), text: textOf(fields[key]) };
}

function turnOf(value: unknown, fallback: Role): Turn {
  // A list that was cut says in a text how much is missing.
  if (typeof value === 'string') return { role: 'system', text: value, reasoning: '', tools: [], images: 0 };
  const fields = fieldsOf(value);
  const role = ROLES.find((one) => one === fields['role']) ?? fallback;
  return {
    role,
    text: textOf(fields['text']),
    reasoning: listOf(fields['reasoning'])
      .map((thought) => textOf(fieldsOf(thought)['text']))
      .filter((text) => text !== '')
      .join('\n\n'),
    tools:
      role === 'tool'
        ? listOf(fields['results']).map((result) => toolOf(result, 'text'))
        : listOf(fields['tool_calls']).map((call) => toolOf(call, 'arguments')),
    images: listOf(fields['images']).length,
  };
}

/** The turns of a chat, its answer last; undefined for calls that are no conversation. */
export function conversationOf(
  request_type: string,
  { request, response }: { request: unknown; response: unknown },
): Turn[] | undefined {
  const { system, messages } = fieldsOf(request);
  if (request_type !== 'chat' || !Array.isArray(messages)) return undefined;
  const instruction = textOf(system);
  return [
    ...(instruction === '' ? [] : [turnOf({ role: 'system', text: instruction }, 'system')]),
    ...messages.map((message) => turnOf(message, 'user')),
    ...(response === null || response === undefined ? [] : [turnOf(response, 'assistant')]),
  ];
}
