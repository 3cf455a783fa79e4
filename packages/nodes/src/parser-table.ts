import type { Json } from '@millrace/engine';
import { type AnswerSchema, type Reading, readJsonAnswer, readSchema } from '@millrace/models';
import { fromCsv, toCsv } from './converter/csv.ts';
import { fromMarkdown, fromXml, fromYaml, toYaml } from './converter/texts.ts';
import { fromXlsx, toXlsx } from './converter/xlsx.ts';
import { parsedMail } from './imap-trigger/parsed-mail.ts';
import { checkArguments } from './kit/mcp/arguments.ts';
import type { Parsers, ParserTable } from './kit/parsing/parsers.ts';
import { extract } from './kit/text/html/extract.ts';
import { pageText } from './kit/text/html/page-text.ts';
import { parsedJson } from './kit/text/parsed-json.ts';
import { feedIn } from './rss/feed.ts';

/** Without its check, which consists of functions and cannot be sent between processes. */
function strictSchema(text: string): Reading<Pick<AnswerSchema, 'strict'>> {
  const { value, problem } = readSchema(text);
  return value ? { value: { strict: value.strict } } : { problem };
}

/** Parsers for untrusted input of nodes. Arguments and results can be copied between processes. */
export const NODE_PARSERS = {
  csv: fromCsv,
  write_csv: toCsv,
  xml: fromXml,
  yaml: fromYaml,
  write_yaml: toYaml,
  markdown: fromMarkdown,
  xlsx: fromXlsx,
  write_xlsx: toXlsx,
  html_elements: extract,
  page_text: pageText,
  feed: feedIn,
  mail: parsedMail,
  arguments: checkArguments,
  json: parsedJson,
  json_answer: (text: string, may_repair: boolean) =>
    readJsonAnswer(text, may_repair, Number.POSITIVE_INFINITY),
  answer_schema: strictSchema,
  answer_problem: (answer: Json, schema: string) => readSchema(schema).value?.problemWith(answer),
} satisfies ParserTable;

export type NodeParsers = Parsers<typeof NODE_PARSERS>;
