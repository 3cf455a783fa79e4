import type { Failure } from '../../run/node-run.ts';
import type { CompiledNode } from '../compiled.ts';

type Typed = Pick<CompiledNode, 'type' | 'label' | 'data' | 'known'>;

/** A node of an unknown type that passes its inputs on instead of failing the run. */
export function passesInputsOn({ known, data }: Pick<Typed, 'known' | 'data'>): boolean {
  return !known && data['passInputsOn'] === true;
}

/** A start of an unknown type. Nothing listens for what it waits for, so it never starts a run. */
export function isUnknownTrigger({ known, type }: Pick<Typed, 'known' | 'type'>): boolean {
  return !known && /trigger$/i.test(type);
}

/** Types that exports of other products have, and what their work would need. */
const MISSING: ReadonlyMap<string, string> = new Map([
  ['plugin', 'Its code is a plugin of the other product, which is not part of the export.'],
  ['pluginTrigger', 'Its code is a plugin of the other product, which is not part of the export.'],
]);

const explainMissing = (type: string): string => {
  const reason = MISSING.get(type);
  return reason === undefined ? '' : ` ${reason}`;
};

export function unknownTypeFailure({ type, label }: Typed): Failure {
  const message = `"${label}" has the type "${type}", which is not known here, so its work cannot be done.${explainMissing(type)} Replace the node, or set passInputsOn to hand its inputs on.`;
  return { kind: 'params', field: 'type', message, final: true };
}

export function unknownTypeProblem(node: Typed): string {
  if (isUnknownTrigger(node)) {
    return `The trigger type "${node.type}" is not known here, so it never fires.${explainMissing(node.type)} Start the workflow in another way.`;
  }
  return passesInputsOn(node)
    ? `The node type "${node.type}" is not known here.${explainMissing(node.type)} The node passes its inputs on; replace it with one that does the work.`
    : `The node type "${node.type}" is not known here, so a run fails at this node.${explainMissing(node.type)} Replace it, or let it pass its inputs on.`;
}
