import { implement } from '../implement.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { disableNode } from './definition.ts';

export const runDisableNode = implement(disableNode, async ({ params, services }) => {
  const label = params.targetNodeLabel;
  const disabled = await services.disableNode(label);
  if (disabled.length === 0) {
    const message = `No node of this workflow has the label "${label}"`;
    throw refusedParam('targetNodeLabel', message);
  }
  return { output: { targetNode: label, disabled: true }, disables: disabled };
});
