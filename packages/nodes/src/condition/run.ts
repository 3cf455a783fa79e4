import { implement } from '../implement.ts';
import { condition } from './definition.ts';

export const runCondition = implement(condition, ({ params }) => {
  const branch = params.condition ? 'true' : 'false';
  return { output: { branch }, ports: [branch] };
});
