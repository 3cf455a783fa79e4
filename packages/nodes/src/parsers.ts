export { type Parsers, type ParserTable, type QuickRules, withQuickParsers } from './kit/parsing/parsers.ts';
export { createParserPool, type ParserPool, type PoolLimits } from './kit/parsing/pool.ts';
export { serveParsers } from './kit/parsing/serve.ts';
export { openMarkdownWriter } from './kit/text/html/markdown.ts';
export { NODE_PARSERS, type NodeParsers } from './parser-table.ts';
export { QUICK_RULES } from './quick-rules.ts';
