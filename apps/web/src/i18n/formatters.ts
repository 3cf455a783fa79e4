import { _createCache as createCache, _createIntlFormatters as createFormatters } from 'use-intl';

export const formatterCache = createCache();

/** Formats of `Intl`, each kept for its language and options: making one costs more than using it a hundred times. */
export const formatters = createFormatters(formatterCache);
