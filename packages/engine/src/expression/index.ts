export { type Compiled, compile, type ExpressionMode, evaluate } from './compile.ts';
export {
  addDays,
  addMilliseconds,
  addMonths,
  DateValue,
  isoText,
  parseDate,
} from './dates/date-value.ts';
export { formatDate } from './dates/format.ts';
export { findEnd, findStart } from './dates/periods.ts';
export { isTimeZone, toInstant, wallClockAt } from './dates/zone.ts';
export { type Completion, complete, type Known } from './editor/complete.ts';
export {
  type FunctionDoc,
  functionDocs,
  type MethodDoc,
  methodDocs,
  type ReceiverType,
} from './editor/docs.ts';
export {
  type ExplainedPart,
  type Explanation,
  inlineExplain,
  type MissingReference,
  type MixedComparison,
} from './editor/explain.ts';
export {
  type Preview,
  type PreviewNodeResult,
  type PreviewRequest,
  type PreviewSources,
  preview,
  previewScope,
} from './editor/preview.ts';
export { renameReference } from './editor/rename.ts';
export { buildSample } from './editor/sample.ts';
export type { ReadParameter, Scope } from './evaluate/context.ts';
export { createScope, type ScopeSources } from './evaluate/scope.ts';
export {
  ExpressionError,
  type ExpressionErrorCode,
  MAX_EXPRESSION_LENGTH,
  MAX_TEMPLATE_LENGTH,
} from './limits.ts';
export { isAppendTo, isIncrement } from './modes/increment.ts';
export { type JsonPart, jsonQuoting } from './modes/json-literal.ts';
export type { Reference } from './modes/references.ts';
export { isReservedName, RESERVED_NAMES } from './reserved-names.ts';
export type { SyntaxProblem } from './syntax/ast.ts';
export { findSpans, type Span } from './syntax/spans.ts';
export { pythonText, toText } from './values/text.ts';
