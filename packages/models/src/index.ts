export * from './answer/batch.ts';
export { type Completion, type CompletionRequest, complete, type ToolDefinition } from './answer/complete.ts';
export {
  isImage,
  type ModelMessage,
  type Thought,
  type ToolAnswer,
  type ToolMessage,
  type ToolUse,
} from './answer/prompt.ts';
export {
  type AnswerSchema,
  QUICK_REPAIR_CHARACTERS,
  type Reading,
  readJsonAnswer,
  readSchema,
  readSchemaCheck,
} from './answer/structured.ts';
export * from './decide.ts';
export * from './embed.ts';
export * from './image.ts';
export { findCapabilities, type ModelCapabilities } from './known/capabilities.ts';
export { computeCost, findPrice, type ModelPrice } from './known/prices.ts';
export * from './list-models.ts';
export type { ModelCallNote, TokenUsage } from './model-call.ts';
export * from './model-service.ts';
export * from './moderate.ts';
export type { ReasoningEffort } from './provider/reasoning.ts';
