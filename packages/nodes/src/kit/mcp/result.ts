import { isJsonObject, type Json, NodeFailure, parseExactJson } from '@millrace/engine';
import type { CallToolResult } from '@modelcontextprotocol/client';

const MAX_WORDS = 2_000;

/**
 * The result of a tool: its structured content, else its text, read as JSON when it is JSON. Several texts are joined
 * by line breaks; with images, sounds or resources among them the result is the list of all parts. Throws what the tool
 * says went wrong.
 */
export function readResult(tool: string, { content, structuredContent, isError }: CallToolResult): Json {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (isError === true) {
    const said = texts.join('\n').trim().slice(0, MAX_WORDS);
    throw new NodeFailure({
      kind: 'upstream',
      message: `The tool "${tool}" failed: ${said === '' ? 'it gave no reason' : said}`,
    });
  }
  if (structuredContent !== undefined) return structuredContent as Json;
  if (texts.length < content.length) return content as unknown as Json;
  const [only = ''] = texts;
  return texts.length === 1 ? parseValue(only) : texts.join('\n');
}

/** Numbers that JSON cannot hold as they are written stay texts: an id of twenty digits is not rounded. */
function parseValue(text: string): Json {
  try {
    const value = parseExactJson(text) as Json;
    if (typeof value === 'number' && String(value) !== text.trim()) return text;
    return isJsonObject(value) || Array.isArray(value) || typeof value !== 'string' ? value : text;
  } catch {
    return text;
  }
}
