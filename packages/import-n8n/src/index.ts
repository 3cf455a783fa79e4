export { N8N_PARSERS } from './parsers.ts';
