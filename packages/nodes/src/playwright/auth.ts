import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { z } from 'zod';
import { refusedParam } from '../kit/refused-param.ts';

const FIELD = 'playwrightAuthStateExpression';
const items = z.record(z.string(), z.string());

/** Cookies as Playwright has them (`BrowserContext.storageState`); what is left out has its defaults there. */
const cookie = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string(),
  path: z.string().default('/'),
  expires: z.number().default(-1),
  httpOnly: z.boolean().default(false),
  secure: z.boolean().default(false),
  sameSite: z.enum(['Strict', 'Lax', 'None']).default('Lax'),
});

const origin = z.object({
  origin: z.string(),
  localStorage: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
});

const storedState = z.object({
  cookies: z.array(cookie).default([]),
  /** As Playwright writes it. */
  origins: z.array(origin).default([]),
  /** As this node writes it, by origin. */
  localStorage: z.record(z.string(), items).default({}),
  sessionStorage: z.record(z.string(), items).default({}),
});

/** The container's record of the browser's state, which is also what a later run begins with. */
export const browserState = z.object({
  cookies: z.array(z.record(z.string(), z.json())),
  localStorage: z.record(z.string(), items),
  sessionStorage: z.record(z.string(), items),
});

/** A state as the browser takes it; undefined when there is none yet. */
export function stateFrom(
  value: unknown,
): { readonly state: JsonObject; readonly session: JsonObject } | undefined {
  const given = typeof value === 'string' ? parsed(value) : value;
  if (given === null || given === undefined || (isJsonObject(given) && Object.keys(given).length === 0)) {
    return undefined;
  }
  const read = storedState.safeParse(given);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw refusedParam(
      FIELD,
      `must be an object with cookies, localStorage and sessionStorage, as the output of this node has them (${issue?.path.join('.')}: ${issue?.message})`,
    );
  }
  const { cookies, origins, localStorage, sessionStorage } = read.data;
  const own = Object.entries(localStorage).map(([name, values]) => ({
    origin: name,
    localStorage: Object.entries(values).map(([key, text]) => ({ name: key, value: text })),
  }));
  return { state: { cookies, origins: [...origins, ...own] }, session: sessionStorage };
}

function parsed(text: string): Json {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw refusedParam(FIELD, 'is not valid JSON');
  }
}
