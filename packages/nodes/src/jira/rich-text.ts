import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { parsedJson } from '../kit/text/parsed-json.ts';

/**
 * A text as the API takes it: version 3 a document with a paragraph for each line, version 2 the text itself. What is
 * a document already is left as it is.
 * https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
 */
export function richText(text: string, isDocument: boolean): Json {
  if (!isDocument) return text;
  return documentIn(text) ?? { type: 'doc', version: 1, content: text.split(/\r?\n/).map(paragraph) };
}

/** Without a text a paragraph has no content, for empty text nodes are refused. */
function paragraph(line: string): JsonObject {
  return { type: 'paragraph', content: line === '' ? [] : [{ type: 'text', text: line }] };
}

function documentIn(text: string): JsonObject | undefined {
  const value = text.trimStart().startsWith('{') ? parsedJson(text) : undefined;
  return value !== undefined && isJsonObject(value) && value['type'] === 'doc' ? value : undefined;
}
