import { catalog } from '../../packages/nodes/src/catalog.ts';
import { typeIntoEveryField } from './support/type-expressions.ts';

const FAMILIES = new Set(['integration', 'network', 'ai']);

typeIntoEveryField(catalog.all.filter(({ family }) => FAMILIES.has(family)));
