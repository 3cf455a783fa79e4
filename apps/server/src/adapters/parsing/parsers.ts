import { availableParallelism } from 'node:os';
import {
  createParserPool,
  NODE_PARSERS,
  type PoolLimits,
  QUICK_RULES,
  withQuickParsers,
} from '@millrace/nodes/parsers';
import { QUICK_SCORE_RULES, SCORE_PARSERS } from '../../core/scoring/score.ts';
import type { DocumentParsers, OpenParsers } from '../../ports/parsers.ts';
import { startProcess } from '../threads/start-process.ts';

/** At least two, so that one slow document does not block all others; larger machines keep one core for the event loop. */
const PROCESSES = Math.min(4, Math.max(2, availableParallelism() - 1));
/** The largest accepted workbook needs about a third of it. */
const HEAP_MB = 512;
const LONGEST_MS = 10_000;
const IDLE_MS = 30_000;
const MOST_WAITING = 1_000;

/** Processes that read documents. They start with the first document. */
export function openParsers(limits: Partial<PoolLimits> = {}): OpenParsers {
  const pool = createParserPool<DocumentParsers>(
    () => startProcess('../parsing/parser-process.ts', HEAP_MB),
    {
      processes: PROCESSES,
      time_ms: LONGEST_MS,
      idle_ms: IDLE_MS,
      waiting: MOST_WAITING,
      ...limits,
    },
  );
  const table = { ...NODE_PARSERS, ...SCORE_PARSERS };
  const rules = { ...QUICK_RULES, ...QUICK_SCORE_RULES };
  return { ...withQuickParsers(pool, table, rules), close: () => pool.close() };
}
