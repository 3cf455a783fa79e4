import { catalog } from '../../packages/nodes/src/catalog.ts';
import { typeIntoEveryField } from './support/type-expressions.ts';

/** Integrations have a separate file; a note has no form. */
const ELSEWHERE = new Set(['integration', 'network', 'ai', 'note']);

typeIntoEveryField(catalog.all.filter(({ family }) => !ELSEWHERE.has(family)));
