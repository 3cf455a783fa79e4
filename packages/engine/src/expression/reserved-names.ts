/** Names that the service answers at the reserved-variable-names endpoint. */
const SERVED = [
  'headers query value list array vars items first last random name type length toString toUpperCase toLowerCase',
  'substring indexOf contains startswith endswith replace replaceAll regexReplace hash reverse distinct notNull',
  'filter map sort join take status body outputs result item index total isFirst isLast branch results merged',
  'error errorNode errorNodeType timestamp',
];
/** Further names that a node label had better not have, because an expression reads them as something else. */
const FURTHER = [
  'input startsWith endsWith keys values entries now date orEmpty toJson base64Encode base64Decode',
  'global credentials UUID workflowName workflowDescription workflowPath workflowUrl executionId page',
  'true false null none undefined not',
];

/**
 * Names that node labels and variables should avoid. The editor warns,
 * without regard to case; an imported workflow may still use them.
 */
export const RESERVED_NAMES: readonly string[] = [...SERVED, ...FURTHER].flatMap((line) => line.split(' '));

const lowerCase = new Set(RESERVED_NAMES.map((name) => name.toLowerCase()));

export function isReservedName(name: string): boolean {
  return lowerCase.has(name.toLowerCase());
}
