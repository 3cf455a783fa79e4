import { isJsonObject, readJsonText } from '@millrace/engine';

const FENCED = /^```json\n([\s\S]*)\n```$/;

/** The JSON of a draft that is one block of it and nothing else, such as the arguments of a tool; undefined for any other draft. */
export function extractJson(draft: string): string | undefined {
  const [, json] = FENCED.exec(draft.trim()) ?? [];
  return json === undefined || readJsonText(json) === undefined ? undefined : json;
}

/** The draft that has this JSON. */
export const toDraft = (json: string): string => `\`\`\`json\n${json}\n\`\`\``;

/** Why the run could not continue with what was written in the place of the JSON; undefined when it can. */
export function jsonProblem(written: string, json: string): 'not_json' | 'not_object' | undefined {
  const value = readJsonText(written);
  if (value === undefined) return 'not_json';
  return isJsonObject(readJsonText(json)) && !isJsonObject(value) ? 'not_object' : undefined;
}
