import { isJsonObject, type JsonObject } from '@millrace/engine';
import type { SqlClient } from '../../../database/sql-client.ts';
import { replaceSealedText, type SealedText, sealedTexts } from '../../store/sealed-texts.ts';

/** The same text under the current key; undefined where nothing is to do. */
type Reseal = (token: string) => string | undefined;

/** The value that is stored instead, with the token in the named field encrypted anew. */
function withField(value: unknown, name: string, reseal: Reseal): JsonObject | undefined {
  const token = isJsonObject(value) ? value[name] : undefined;
  const anew = typeof token === 'string' ? reseal(token) : undefined;
  return anew === undefined ? undefined : { ...(value as JsonObject), [name]: anew };
}

function resealed({ column, text, whole }: SealedText, reseal: Reseal): unknown {
  switch (column) {
    case 'sealed':
      return reseal(text);
    case 'result':
      return withField(whole, 'sealed', reseal);
    default: {
      const field = column === 'options' ? 'sealed_input' : 'sealed_outputs';
      const changed = withField(JSON.parse(text), field, reseal);
      return changed && JSON.stringify(changed);
    }
  }
}

/**
 * Encrypts inputs, results and decisions of runs that have not ended with the current key, where a former one encrypted them.
 * A run may wait for months, and without them it would continue with masked values.
 *
 * @returns how many were encrypted anew
 */
export async function resealRuns(sql: SqlClient, reseal: Reseal): Promise<number> {
  let count = 0;
  for await (const stored of sealedTexts(sql)) {
    const anew = resealed(stored, reseal);
    if (anew !== undefined && (await replaceSealedText(sql, stored, anew))) count += 1;
  }
  return count;
}
