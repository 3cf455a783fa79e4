import { answerWords, isJsonObject, type Json, NodeFailure } from '@millrace/engine';

interface Refusal {
  readonly status: number;
  readonly body: Json;
}

const MAX_WORDS = 300;
const MOST_DETAILS = 3;
/** Keys under which services put the words of an error, the most telling first. */
const WORDS = [
  'message',
  'error_description',
  'detail',
  'description',
  'error',
  'errors',
  'errorMessages',
  'title',
];

interface Asked {
  /** How long the service asked to wait, when it limits calls. */
  readonly pause_ms?: number | undefined;
  /** Parameter with what the service was asked as; null for a node that has none. */
  readonly sign_in?: string | null | undefined;
}

const CREDENTIAL = 'credentialId';

/** The meaning of a refused call, in plain words, with what the service said about it. */
export function createRefusal(
  title: string,
  { status, body }: Refusal,
  { pause_ms, sign_in = CREDENTIAL }: Asked = {},
): NodeFailure {
  const said = findWords(body);
  const isCredential = sign_in === CREDENTIAL;
  const means = (isCredential ? undefined : withoutCredential(status)) ?? meaning(status, pause_ms);
  const message = `${title} ${means}${said === undefined ? '' : `: ${said}`}`;
  const details = { status };
  if (status !== 401) return new NodeFailure({ kind: 'upstream', message, details });
  const field = sign_in === null ? {} : { field: sign_in };
  const kind = isCredential ? 'credential' : 'upstream';
  return new NodeFailure({ kind, message, ...field, final: true, details });
}

/** The meaning of a refusal for a node that has its sign-in in a parameter, or none. */
function withoutCredential(status: number): string | undefined {
  if (status === 401) return 'requires a sign-in, or rejected the given one (status 401)';
  return status === 403 ? 'does not allow this (status 403)' : undefined;
}

function meaning(status: number, pause_ms: number | undefined): string {
  if (status === 429 || (status < 500 && pause_ms !== undefined)) {
    const seconds = Math.ceil((pause_ms ?? 0) / 1000);
    return `is rate limiting this key${seconds > 0 ? `; try again in ${seconds} s` : ''}`;
  }
  switch (status) {
    case 401:
      return 'refused the credential; test it on the credentials page';
    case 403:
      return 'does not allow this with the chosen credential';
    case 404:
      return 'did not find it (status 404)';
    case 409:
      return 'reports a conflict with what is there (status 409)';
    default:
      if (status >= 500) return `reported a server error (status ${status})`;
      return status >= 400 ? `rejected the request (status ${status})` : `answered with status ${status}`;
  }
}

/** The words of an error, wherever a service puts them. */
function findWords(body: Json, depth = 0): string | undefined {
  if (typeof body === 'string') return answerWords(body, MAX_WORDS);
  if (depth > 3) return undefined;
  if (Array.isArray(body)) return body[0] === undefined ? undefined : findWords(body[0], depth + 1);
  if (!isJsonObject(body)) return undefined;
  const details = readDetails(body['errors']);
  for (const key of WORDS) {
    if (key === 'errors' && details !== undefined) return details;
    const words = findWords(body[key] ?? null, depth + 1);
    if (words === undefined) continue;
    return details === undefined || words.includes(details) ? words : `${words} (${details})`;
  }
  return undefined;
}

/**
 * The problems of single fields, where services list them beside the words for the whole: as texts by field (Jira) or
 * as a list of texts or of objects with a message or with a field and a code (GitHub).
 */
function readDetails(errors: Json | undefined): string | undefined {
  const details = Array.isArray(errors)
    ? errors.map(readDetail)
    : isJsonObject(errors ?? null)
      ? Object.entries(errors ?? {}).map(([field, words]) =>
          typeof words === 'string' ? `${field}: ${words}` : undefined,
        )
      : [];
  const told = details.filter((detail) => detail !== undefined && detail !== '').slice(0, MOST_DETAILS);
  return told.length === 0 ? undefined : told.join('; ').slice(0, MAX_WORDS);
}

function readDetail(error: Json): string | undefined {
  if (typeof error === 'string') return error;
  if (!isJsonObject(error)) return undefined;
  const { message, field, code } = error;
  if (typeof message === 'string') return message;
  return typeof field === 'string' && typeof code === 'string' ? `${field}: ${code}` : undefined;
}
