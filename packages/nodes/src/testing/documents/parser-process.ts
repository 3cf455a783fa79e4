// Parser process of the tests, with the parsers of nodes.
import { NODE_PARSERS } from '../../parser-table.ts';
import { serveParsers } from '../../parsers.ts';

serveParsers(NODE_PARSERS);
