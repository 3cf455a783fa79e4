import type { Effect } from '@millrace/engine';
import { literalStart, literalText, type Word } from '../../kit/text/shell-words.ts';
import type { CurlCommand } from './command.ts';
import { isOneExpression, parseCurl } from './parse.ts';

/** Values that differ when they are computed again, so they cannot name a call that was made before a crash. */
const CHANGES_EACH_TIME = /UUID|random|now|Date\s*\(/i;
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
const REPEATABLE = new Set(['PUT', 'DELETE']);

/** The method that a command sends; undefined while an expression decides it. RFC 9110 section 9. */
export function findMethod(command: CurlCommand): string | undefined {
  if (command.method) return literalText(command.method)?.toUpperCase();
  if (command.head) return 'HEAD';
  if (command.puts_file) return 'PUT';
  return command.pieces.length > 0 && !command.data_in_query ? 'POST' : 'GET';
}

/** The effect that a curl text may have when it is sent twice. A text that cannot be read sends nothing. */
export function curlEffect(text: string): Effect {
  // The value may be a whole command, whose method is not known before the run.
  if (isOneExpression(text)) return 'unsafe';
  const command = readable(text);
  if (!command) return 'read';
  const method = findMethod(command) ?? '';
  if (READS.has(method)) return 'read';
  return REPEATABLE.has(method) || command.headers.some(isIdempotencyKey) ? 'idempotent' : 'unsafe';
}

function isIdempotencyKey(header: Word): boolean {
  if (!/^\s*idempotency-key\s*:/i.test(literalStart(header))) return false;
  return !header.some((part) => part.kind === 'expression' && CHANGES_EACH_TIME.test(part.text));
}

function readable(text: string): CurlCommand | undefined {
  try {
    return parseCurl(text);
  } catch {
    return undefined;
  }
}
