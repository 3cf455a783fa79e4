import { problems, readImport } from '@millrace/engine';
import { expect, it } from 'vitest';
import { catalog } from './catalog.ts';

/** Every node type that exports of the family have. */
const TYPES =
  'textInput cron telegramTrigger websocketTrigger llm agent condition switch execute output wait http websocketSend sticky merge set jsonOutputMapper telegram slack slackTrigger imapTrigger sendEmail errorHandler variable loop disableNode redis rag grist googleSheets bigquery throwError rabbitmq crawler consoleLog playwright dataTable drive fileUploadTrigger codex discord discordTrigger github linear supabase clickhouse notion sentry s3 mcpCall chartOutput plugin pluginTrigger code decision converter htmlOutputMapper heym heymTrigger jira googleDrive opencodeGo webhookTrigger cal calTrigger youcomSearch';
const WITHOUT_NODE: Readonly<Record<string, RegExp>> = {
  plugin: /plugin of the other product/,
  pluginTrigger: /plugin of the other product/,
};

it.each(TYPES.split(' '))('an export with %s is imported with a node, or says why it cannot run', (type) => {
  const { document } = readImport({
    nodes: [{ id: 'a', type, position: { x: 0, y: 0 }, data: { label: 'a' } }],
    edges: [],
  });
  const unknown = problems(document, catalog).filter(({ code }) => code === 'unknown_type');
  const reason = WITHOUT_NODE[type];
  if (reason === undefined) expect(unknown).toEqual([]);
  else
    expect(unknown).toEqual([expect.objectContaining({ message: expect.stringMatching(reason) as string })]);
});
