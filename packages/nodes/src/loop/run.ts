import type { Json } from '@millrace/engine';
import { implement } from '../implement.ts';
import { evaluated } from '../kit/values/mapped-object.ts';
import { loop } from './definition.ts';

export const runLoop = implement(loop, ({ params }) => ({
  output: { items: toItems(evaluated(params.arrayExpression)) },
}));

function toItems(value: Json): Json[] {
  if (value === null) return [];
  return Array.isArray(value) ? value : [value];
}
