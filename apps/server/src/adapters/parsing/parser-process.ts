// A process that reads documents, so that slow ones block nobody else and hostile ones can only end this process.
import { N8N_PARSERS } from '@millrace/import-n8n';
import { NODE_PARSERS, serveParsers } from '@millrace/nodes/parsers';
import { DOCUMENT_PARSERS, TEXT_PARSERS } from '../../core/documents/parsers.ts';
import { SCORE_PARSERS } from '../../core/scoring/score.ts';

serveParsers({ ...NODE_PARSERS, ...N8N_PARSERS, ...DOCUMENT_PARSERS, ...TEXT_PARSERS, ...SCORE_PARSERS });
