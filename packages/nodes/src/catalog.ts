// Every node definition, one line each. Browser-safe: imports definitions only.
import { type Catalog, createCatalog } from '@millrace/engine';
import { agent } from './agent/definition.ts';
import { aggregate } from './aggregate/definition.ts';
import { bigquery } from './bigquery/definition.ts';
import { callback } from './callback/definition.ts';
import { chartOutput } from './chart-output/definition.ts';
import { clickhouse } from './clickhouse/definition.ts';
import { code } from './code/definition.ts';
import { codex } from './codex/definition.ts';
import { compare } from './compare/definition.ts';
import { condition } from './condition/definition.ts';
import { consoleLog } from './console-log/definition.ts';
import { converter } from './converter/definition.ts';
import { crawler } from './crawler/definition.ts';
import { cron } from './cron/definition.ts';
import { crypto } from './crypto/definition.ts';
import { dataTable } from './data-table/definition.ts';
import { date } from './date/definition.ts';
import { decision } from './decision/definition.ts';
import { deduplicate } from './deduplicate/definition.ts';
import { disableNode } from './disable-node/definition.ts';
import { discord } from './discord/definition.ts';
import { discordTrigger } from './discord-trigger/definition.ts';
import { drive } from './drive/definition.ts';
import { errorHandler } from './error-handler/definition.ts';
import { execute } from './execute/definition.ts';
import { fileUploadTrigger } from './file-upload-trigger/definition.ts';
import { github } from './github/definition.ts';
import { googleDrive } from './google-drive/definition.ts';
import { googleSheets } from './google-sheets/definition.ts';
import { graphql } from './graphql/definition.ts';
import { grist } from './grist/definition.ts';
import { htmlExtract } from './html-extract/definition.ts';
import { htmlOutputMapper } from './html-output-mapper/definition.ts';
import { http } from './http/definition.ts';
import { humanReview } from './human-review/definition.ts';
import { imapTrigger } from './imap-trigger/definition.ts';
import { jira } from './jira/definition.ts';
import { join } from './join/definition.ts';
import { jsonOutputMapper } from './json-output-mapper/definition.ts';
import { limit } from './limit/definition.ts';
import { linear } from './linear/definition.ts';
import { llm } from './llm/definition.ts';
import { loop } from './loop/definition.ts';
import { mcpCall } from './mcp-call/definition.ts';
import { merge } from './merge/definition.ts';
import { mysql } from './mysql/definition.ts';
import { notion } from './notion/definition.ts';
import { opencodeGo } from './opencode-go/definition.ts';
import { output } from './output/definition.ts';
import { platform } from './platform/definition.ts';
import { platformEventTrigger } from './platform-event-trigger/definition.ts';
import { playwright } from './playwright/definition.ts';
import { postgres } from './postgres/definition.ts';
import { publishEvent } from './publish-event/definition.ts';
import { rabbitmq } from './rabbitmq/definition.ts';
import { rag } from './rag/definition.ts';
import { redis } from './redis/definition.ts';
import { rss } from './rss/definition.ts';
import { s3 } from './s3/definition.ts';
import { sendEmail } from './send-email/definition.ts';
import { sentry } from './sentry/definition.ts';
import { set } from './set/definition.ts';
import { slack } from './slack/definition.ts';
import { slackTrigger } from './slack-trigger/definition.ts';
import { sort } from './sort/definition.ts';
import { split } from './split/definition.ts';
import { sticky } from './sticky/definition.ts';
import { supabase } from './supabase/definition.ts';
import { switchNode } from './switch/definition.ts';
import { telegram } from './telegram/definition.ts';
import { telegramTrigger } from './telegram-trigger/definition.ts';
import { textInput } from './text-input/definition.ts';
import { throwError } from './throw-error/definition.ts';
import { variable } from './variable/definition.ts';
import { wait } from './wait/definition.ts';
import { webhookTrigger } from './webhook-trigger/definition.ts';
import { websocketSend } from './websocket-send/definition.ts';
import { websocketTrigger } from './websocket-trigger/definition.ts';

export const catalog: Catalog = createCatalog([
  textInput,
  cron,
  telegramTrigger,
  slackTrigger,
  discordTrigger,
  platformEventTrigger,
  fileUploadTrigger,
  webhookTrigger,
  imapTrigger,
  websocketTrigger,
  condition,
  switchNode,
  loop,
  merge,
  wait,
  callback,
  humanReview,
  execute,
  throwError,
  errorHandler,
  disableNode,
  consoleLog,
  publishEvent,
  set,
  variable,
  dataTable,
  drive,
  converter,
  sort,
  limit,
  deduplicate,
  aggregate,
  join,
  split,
  compare,
  htmlExtract,
  crypto,
  date,
  code,
  http,
  graphql,
  rss,
  crawler,
  playwright,
  platform,
  websocketSend,
  sendEmail,
  slack,
  discord,
  telegram,
  rabbitmq,
  postgres,
  supabase,
  chartOutput,
  clickhouse,
  github,
  jira,
  grist,
  googleDrive,
  bigquery,
  googleSheets,
  redis,
  linear,
  mysql,
  notion,
  sentry,
  s3,
  mcpCall,
  llm,
  agent,
  decision,
  rag,
  codex,
  opencodeGo,
  output,
  jsonOutputMapper,
  htmlOutputMapper,
  sticky,
]);
