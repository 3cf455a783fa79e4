import { implement } from '../implement.ts';
import { mappedObject } from '../kit/values/mapped-object.ts';
import { jsonOutputMapper } from './definition.ts';

export const runJsonOutputMapper = implement(jsonOutputMapper, ({ params }) => ({
  output: mappedObject(params.mappings, 'mappings'),
}));
