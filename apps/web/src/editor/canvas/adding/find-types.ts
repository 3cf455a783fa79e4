import type { Catalog, NodeDefinition } from '@millrace/engine';
import { bestMatches } from '../../../lib/fuzzy.ts';

/** Node types that the words mean, best first; by the names that other products give them too. */
export const findTypes = (definitions: readonly NodeDefinition[], words: string): NodeDefinition[] =>
  bestMatches(definitions, words, ({ title, type, aliases, search_words, summary }) => {
    const texts = [title, search_words.join(', '), type, ...aliases, summary];
    // Words may be spread over title and summary.
    return [...texts, texts.join(' ')];
  });

/** The node type for services that have none of their own. */
export const findTypeForOthers = (catalog: Catalog): NodeDefinition | undefined => catalog.get('http');
