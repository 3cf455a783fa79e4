import { implement } from '../implement.ts';
import { inputsByLabel } from '../kit/values/pass-through.ts';
import { merge } from './definition.ts';

export const runMerge = implement(merge, ({ inputs }) => ({ output: { merged: inputsByLabel(inputs) } }));
