// Every node implementation. Server only.

import type { NodeImplementation } from './implement.ts';
import { allImplementations, allReceivers } from './implementations.generated.ts';
import type { TriggerReceiver } from './receive.ts';

export { type MemoryShare, readMemoryShares } from './agent/memory/shares.ts';
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
export { budgetStop, isBudgetStop } from './kit/models/budgets/budget-stop.ts';
export { findModelProvider, openModelService } from './kit/models/model-service.ts';
export { chooseRoute, type Route, type RouteServices } from './kit/models/route.ts';
export { bringsOutsideContent } from './kit/runs/outside-content.ts';
export { type EventKey, eventKey, readEventKey } from './kit/triggers/event-key.ts';
export { eventKeyFields } from './kit/triggers/event-key-fields.ts';
export { derivedId } from './kit/values/derived-id.ts';
export { qdrantConnection } from './rag/connection.ts';
export * from './receive.ts';
export { upload as uploadToS3 } from './s3/upload.ts';
export type * from './services.ts';
export { type CallHost, TaskCall } from './task-call.ts';

/** Connection tests by credential type, of integrations that do not speak HTTP. */
export const connections: ReadonlyMap<string, NodeImplementation['connections'][string]> = new Map(
  allImplementations.flatMap((implementation) => Object.entries(implementation.connections)),
);

/** How the place to sign in is found, by credential type. */
export const discoveries: ReadonlyMap<string, NodeImplementation['discoveries'][string]> = new Map(
  allImplementations.flatMap((implementation) => Object.entries(implementation.discoveries)),
);

/** Implementations by node type. Types that no run touches, such as notes, have none. */
export const implementations: ReadonlyMap<string, NodeImplementation> = new Map(
  allImplementations.map((implementation) => [implementation.definition.type, implementation]),
);

/** Receivers by node type: one for every type that something outside fires. */
export const receivers: ReadonlyMap<string, TriggerReceiver> = new Map(
  allReceivers.map((receiver) => [receiver.definition.type, receiver]),
);
