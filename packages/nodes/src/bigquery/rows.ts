import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import { jsonOrText } from '../kit/text/parsed-json.ts';

const SAFE = /^-?\d{1,15}$/;

/** Microseconds since 1970 as an ISO time; parts below a millisecond are kept. */
function toIsoTime(text: string): string {
  const micros = /^-?\d+$/.test(text) ? BigInt(text) : undefined;
  if (micros === undefined) return text;
  const rest = ((micros % 1000n) + 1000n) % 1000n;
  const date = new Date(Number((micros - rest) / 1000n));
  if (Number.isNaN(date.getTime())) return text;
  return rest === 0n
    ? date.toISOString()
    : date.toISOString().replace('Z', `${String(rest).padStart(3, '0')}Z`);
}

/** One cell by the type of its column. Numbers that JSON cannot hold exactly stay texts. */
function toScalar(type: string, value: string): Json {
  switch (type) {
    case 'INTEGER':
    case 'INT64':
      return SAFE.test(value) ? Number(value) : value;
    case 'FLOAT':
    case 'FLOAT64': {
      const number = Number(value);
      return Number.isFinite(number) ? number : value;
    }
    case 'BOOLEAN':
    case 'BOOL':
      return value === 'true';
    case 'TIMESTAMP':
      return toIsoTime(value);
    case 'JSON':
      return jsonOrText(value);
    default:
      return value;
  }
}

function parseCell(column: JsonObject, cell: Json): Json {
  const value = isJsonObject(cell) ? (cell['v'] ?? null) : null;
  if (value === null) return column['mode'] === 'REPEATED' ? [] : null;
  const single = { ...column, mode: 'NULLABLE' };
  if (Array.isArray(value)) return value.map((entry) => parseCell(single, entry));
  const type = readText(column['type']);
  if (isJsonObject(value)) return toRow(column['fields'] ?? [], value);
  return typeof value === 'string' ? toScalar(type, value) : value;
}

/** A row `{f: [{v}]}` as an object by the columns of its schema. https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/query */
export function toRow(columns: Json, row: Json): JsonObject {
  const cells = isJsonObject(row) && Array.isArray(row['f']) ? row['f'] : [];
  const named = (Array.isArray(columns) ? columns : []).filter(isJsonObject);
  return Object.fromEntries(
    named.map((column, at) => [
      typeof column['name'] === 'string' ? column['name'] : String(at),
      parseCell(column, cells[at] ?? null),
    ]),
  );
}
