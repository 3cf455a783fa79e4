import { implement } from '../implement.ts';
import { mappedObject } from '../kit/values/mapped-object.ts';
import { set } from './definition.ts';

export const runSet = implement(set, ({ params }) => ({ output: mappedObject(params.mappings, 'mappings') }));
