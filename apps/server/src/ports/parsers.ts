import type { N8N_PARSERS } from '@millrace/import-n8n';
import type { NODE_PARSERS, Parsers } from '@millrace/nodes/parsers';
import type { DOCUMENT_PARSERS, TEXT_PARSERS } from '../core/documents/parsers.ts';
import type { SCORE_PARSERS } from '../core/scoring/score.ts';

export type DocumentParsers = typeof NODE_PARSERS &
  typeof N8N_PARSERS &
  typeof DOCUMENT_PARSERS &
  typeof TEXT_PARSERS &
  typeof SCORE_PARSERS;

/** Parses documents outside the event loop; slow ones fail with a `NodeFailure` of kind `limit`. */
export type ServerParsers = Parsers<DocumentParsers>;

export interface OpenParsers extends ServerParsers {
  close(): Promise<void>;
}
