// Every node implementation, one line each. Server only.

import { runAgent } from './agent/run.ts';
import { runAggregate } from './aggregate/run.ts';
import { runBigquery } from './bigquery/run.ts';
import { runCallback } from './callback/run.ts';
import { runChartOutput } from './chart-output/run.ts';
import { runClickhouse } from './clickhouse/run.ts';
import { runCode } from './code/run.ts';
import { runCodex } from './codex/run.ts';
import { runCompare } from './compare/run.ts';
import { runCondition } from './condition/run.ts';
import { runConsoleLog } from './console-log/run.ts';
import { runConverter } from './converter/run.ts';
import { runCrawler } from './crawler/run.ts';
import { receiveCron } from './cron/receive.ts';
import { runCron } from './cron/run.ts';
import { runCrypto } from './crypto/run.ts';
import { runDataTable } from './data-table/run.ts';
import { runDate } from './date/run.ts';
import { runDecision } from './decision/run.ts';
import { runDeduplicate } from './deduplicate/run.ts';
import { runDisableNode } from './disable-node/run.ts';
import { runDiscord } from './discord/run.ts';
import { receiveDiscord } from './discord-trigger/receive.ts';
import { runDiscordTrigger } from './discord-trigger/run.ts';
import { runDrive } from './drive/run.ts';
import { runErrorHandler } from './error-handler/run.ts';
import { runExecute } from './execute/run.ts';
import { receiveFileUpload } from './file-upload-trigger/receive.ts';
import { runFileUploadTrigger } from './file-upload-trigger/run.ts';
import { runGithub } from './github/run.ts';
import { runGoogleDrive } from './google-drive/run.ts';
import { runGoogleSheets } from './google-sheets/run.ts';
import { runGraphql } from './graphql/run.ts';
import { runGrist } from './grist/run.ts';
import { runHtmlExtract } from './html-extract/run.ts';
import { runHtmlOutputMapper } from './html-output-mapper/run.ts';
import { runHttp } from './http/run.ts';
import { runHumanReview } from './human-review/run.ts';
import { receiveImap } from './imap-trigger/receive.ts';
import { runImapTrigger } from './imap-trigger/run.ts';
import type { NodeImplementation } from './implement.ts';
import { runJira } from './jira/run.ts';
import { runJoin } from './join/run.ts';
import { runJsonOutputMapper } from './json-output-mapper/run.ts';
import { runLimit } from './limit/run.ts';
import { runLinear } from './linear/run.ts';
import { runLlm } from './llm/run.ts';
import { runLoop } from './loop/run.ts';
import { runMcpCall } from './mcp-call/run.ts';
import { runMerge } from './merge/run.ts';
import { runMysql } from './mysql/run.ts';
import { runNotion } from './notion/run.ts';
import { runOpencodeGo } from './opencode-go/run.ts';
import { runOutput } from './output/run.ts';
import { runPlatform } from './platform/run.ts';
import { receivePlatformEvents } from './platform-event-trigger/receive.ts';
import { runPlatformEventTrigger } from './platform-event-trigger/run.ts';
import { runPlaywright } from './playwright/run.ts';
import { runPostgres } from './postgres/run.ts';
import { runPublishEvent } from './publish-event/run.ts';
import { receiveRabbitmq } from './rabbitmq/receive.ts';
import { runRabbitmq } from './rabbitmq/run.ts';
import { runRag } from './rag/run.ts';
import type { TriggerReceiver } from './receive.ts';
import { runRedis } from './redis/run.ts';
import { runRss } from './rss/run.ts';
import { runS3 } from './s3/run.ts';
import { runSendEmail } from './send-email/run.ts';
import { runSentry } from './sentry/run.ts';
import { runSet } from './set/run.ts';
import { runSlack } from './slack/run.ts';
import { receiveSlack } from './slack-trigger/receive.ts';
import { runSlackTrigger } from './slack-trigger/run.ts';
import { runSort } from './sort/run.ts';
import { runSplit } from './split/run.ts';
import { runSupabase } from './supabase/run.ts';
import { runSwitch } from './switch/run.ts';
import { runTelegram } from './telegram/run.ts';
import { receiveTelegram } from './telegram-trigger/receive.ts';
import { runTelegramTrigger } from './telegram-trigger/run.ts';
import { runTextInput } from './text-input/run.ts';
import { runThrowError } from './throw-error/run.ts';
import { runVariable } from './variable/run.ts';
import { runWait } from './wait/run.ts';
import { receiveWebhook } from './webhook-trigger/receive.ts';
import { runWebhookTrigger } from './webhook-trigger/run.ts';
import { runWebsocketSend } from './websocket-send/run.ts';
import { receiveWebsocket } from './websocket-trigger/receive.ts';
import { runWebsocketTrigger } from './websocket-trigger/run.ts';

export { type MemoryShare, memorySharesOf } from './agent/memory/shares.ts';
export type {
  ChoiceContext,
  ChoicePage,
  ChoiceRequest,
  GrowingText,
  NodeCall,
  NodeImplementation,
  StepCall,
  Steps,
} from './implement.ts';
export { type Caller, type Connection, callJson, path } from './kit/integration/call-json.ts';
export { type McpServer, serverOfConnection, serverOfCredential } from './kit/mcp/server.ts';
export { openMcpSession } from './kit/mcp/session.ts';
export { budgetStop } from './kit/models/budgets/budget-stop.ts';
export { modelProviderOf, modelServiceOf } from './kit/models/model-service.ts';
export { chooseRoute, type Route, type RouteServices } from './kit/models/route.ts';
export { bringsOutsideContent } from './kit/runs/outside-content.ts';
export { type EventKey, eventKey, eventKeyOf } from './kit/triggers/event-key.ts';
export { eventKeyFields } from './kit/triggers/event-key-fields.ts';
export { derivedId } from './kit/values/derived-id.ts';
export { qdrantConnection } from './rag/connection.ts';
export * from './receive.ts';
export { upload as uploadToS3 } from './s3/upload.ts';
export type * from './services.ts';
export { type CallHost, TaskCall } from './task-call.ts';

const ALL: readonly NodeImplementation[] = [
  runTextInput,
  runCron,
  runTelegramTrigger,
  runSlackTrigger,
  runDiscordTrigger,
  runPlatformEventTrigger,
  runFileUploadTrigger,
  runWebhookTrigger,
  runImapTrigger,
  runWebsocketTrigger,
  runCondition,
  runSwitch,
  runLoop,
  runMerge,
  runWait,
  runCallback,
  runHumanReview,
  runExecute,
  runThrowError,
  runErrorHandler,
  runDisableNode,
  runConsoleLog,
  runPublishEvent,
  runSet,
  runVariable,
  runDataTable,
  runDrive,
  runConverter,
  runSort,
  runLimit,
  runDeduplicate,
  runAggregate,
  runJoin,
  runSplit,
  runCompare,
  runHtmlExtract,
  runCrypto,
  runDate,
  runCode,
  runHttp,
  runGraphql,
  runRss,
  runCrawler,
  runPlaywright,
  runPlatform,
  runWebsocketSend,
  runSendEmail,
  runSlack,
  runDiscord,
  runTelegram,
  runRabbitmq,
  runPostgres,
  runSupabase,
  runChartOutput,
  runClickhouse,
  runGithub,
  runJira,
  runGrist,
  runGoogleDrive,
  runBigquery,
  runGoogleSheets,
  runRedis,
  runLinear,
  runMysql,
  runNotion,
  runSentry,
  runS3,
  runMcpCall,
  runLlm,
  runAgent,
  runDecision,
  runRag,
  runCodex,
  runOpencodeGo,
  runOutput,
  runJsonOutputMapper,
  runHtmlOutputMapper,
];

/** Connection tests by credential type, of integrations that do not speak HTTP. */
export const connections: ReadonlyMap<string, NodeImplementation['connections'][string]> = new Map(
  ALL.flatMap((implementation) => Object.entries(implementation.connections)),
);

/** How the place to sign in is found, by credential type. */
export const discoveries: ReadonlyMap<string, NodeImplementation['discoveries'][string]> = new Map(
  ALL.flatMap((implementation) => Object.entries(implementation.discoveries)),
);

/** Implementations by node type. Types that no run touches, such as notes, have none. */
export const implementations: ReadonlyMap<string, NodeImplementation> = new Map(
  ALL.map((implementation) => [implementation.definition.type, implementation]),
);

/** Receivers by node type: one for every type that something outside fires. */
export const receivers: ReadonlyMap<string, TriggerReceiver> = new Map(
  [
    receiveCron,
    receiveTelegram,
    receiveSlack,
    receiveDiscord,
    receivePlatformEvents,
    receiveFileUpload,
    receiveWebhook,
    receiveImap,
    receiveRabbitmq,
    receiveWebsocket,
  ].map((receiver) => [receiver.definition.type, receiver]),
);
