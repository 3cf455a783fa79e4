export * from './complete.ts';
export * from './decide.ts';
export * from './embed.ts';
export * from './list-models.ts';
export * from './model-service.ts';
export type { ModelCallNote } from './note-call.ts';
export { costOf, type ModelPrice } from './prices.ts';
export {
  isImage,
  type ModelMessage,
  type Thought,
  type ToolAnswer,
  type ToolMessage,
  type ToolUse,
} from './prompt.ts';
export type { ReasoningEffort } from './provider/reasoning.ts';
export {
  type AnswerSchema,
  type Reading,
  readJsonAnswer,
  readSchema,
  readSchemaCheck,
} from './structured.ts';
