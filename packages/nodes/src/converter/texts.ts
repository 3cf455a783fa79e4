import { isBlockedKey, type Json, losesDigits } from '@millrace/engine';
import { refusedParam } from '../kit/refused-param.ts';
import { parsedJson } from '../kit/text/parsed-json.ts';
import { jsonOfXml, rootOfXml } from '../kit/text/xml.ts';
import { withinStack } from '../kit/values/nesting.ts';

const tooDeep = () => refusedParam('source', 'is nested too deeply to be read');

export async function fromXml(text: string): Promise<Json> {
  const root = await rootOfXml(text);
  if (!root) throw refusedParam('source', 'is no XML document, or is nested too deeply');
  if (isBlockedKey(root.name)) {
    throw refusedParam('source', `begins with <${root.name}>, which no field can be named`);
  }
  return { [root.name]: jsonOfXml(root) };
}

/** Whole numbers as numbers, and as texts where a number cannot hold their digits. */
function withNumbers(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  const digits = String(value);
  return losesDigits(digits) ? digits : Number(value);
}

/** YAML values without a JSON equivalent become null; keys that could reach a prototype are dropped. */
export async function fromYaml(text: string): Promise<Json> {
  const { parse } = await import('yaml');
  try {
    const value: unknown = parse(text, { logLevel: 'error', intAsBigInt: true });
    return parsedJson(JSON.stringify(value ?? null, withNumbers)) ?? null;
  } catch (error) {
    if (/call stack/i.test(String(error))) throw tooDeep();
    const words = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : '';
    throw refusedParam('source', `is no valid YAML: ${words.slice(0, 200)}`);
  }
}

export async function toYaml(value: Json): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(value, { lineWidth: 0 });
}

export async function fromMarkdown(text: string): Promise<string> {
  const { marked } = await import('marked');
  return withinStack(() => marked.parse(text), tooDeep);
}
