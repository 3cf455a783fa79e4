import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { isBlockedKey } from '@millrace/engine/json';
import { z } from 'zod';
import { refusedParam } from '../kit/refused-param.ts';

const text = z.string().trim().min(1, 'must not be empty');
const key = text.refine((name) => !isBlockedKey(name), 'is a name that cannot be used');
const common = { id: key, instructions: text };

/** Kinds of questions of a decision model: yes or no, one of several, a level on a scale. */
const question = z.discriminatedUnion(
  'type',
  [
    z.object({
      ...common,
      type: z.literal('noul'),
      criteriaTrue: z.string().nullish(),
      criteriaFalse: z.string().nullish(),
    }),
    z.object({
      ...common,
      type: z.literal('choice'),
      options: z
        .array(z.object({ key, description: z.string().default('') }))
        .min(2, 'needs at least two options'),
    }),
    z.object({
      ...common,
      type: z.literal('score'),
      levels: z.array(text).min(2, 'needs 2 to 10 levels').max(10, 'needs 2 to 10 levels'),
    }),
  ],
  { error: 'must be noul, choice or score' },
);
type Question = z.output<typeof question>;

/** The questions of a request by their ids, which the model returns and does not read as a meaning. */
export function parseQuestions(stored: unknown): JsonObject {
  const list = parseList(stored);
  if (list.length === 0) throw refusedParam('questions', 'is empty; add a question');
  const asked: JsonObject = {};
  list.forEach((entry, index) => {
    const { data, error } = question.safeParse(entry);
    if (!data) {
      const [issue] = error.issues;
      const path = ['questions', index, ...(issue?.path ?? [])].map(String).join('.');
      throw refusedParam(path, issue?.message ?? 'is no question');
    }
    if (Object.hasOwn(asked, data.id)) throw refusedParam(`questions.${index}.id`, 'is used twice');
    asked[data.id] = sent(data);
  });
  return asked;
}

function parseList(stored: unknown): unknown[] {
  let value = stored;
  try {
    if (typeof value === 'string') value = value.trim() === '' ? [] : JSON.parse(value);
  } catch {
    // Named below like any other value that is no list.
  }
  if (Array.isArray(value)) return value;
  throw refusedParam('questions', 'must be a JSON list of questions');
}

function sent(asked: Question): JsonObject {
  const { type, instructions } = asked;
  switch (asked.type) {
    case 'noul': {
      const criteria: JsonObject = {
        ...(asked.criteriaTrue ? { true: asked.criteriaTrue } : {}),
        ...(asked.criteriaFalse ? { false: asked.criteriaFalse } : {}),
      };
      return { type, instructions, ...(Object.keys(criteria).length > 0 ? { criteria } : {}) };
    }
    case 'choice': {
      const criteria = Object.fromEntries(asked.options.map((option) => [option.key, option.description]));
      if (Object.keys(criteria).length < asked.options.length) {
        throw refusedParam('questions', `${asked.id}: two options have the same key`);
      }
      return { type, instructions, criteria };
    }
    case 'score':
      return { type, instructions, levels: [...asked.levels] };
    default:
      return asked satisfies never;
  }
}

/** The body that is sent instead of the one that the other fields make; undefined when there is none. */
export function readCustomBody(enabled: boolean, given: Json): JsonObject | undefined {
  if (!enabled || given === '' || given === null) return undefined;
  let value: unknown = given;
  try {
    if (typeof value === 'string') value = JSON.parse(value);
  } catch {
    // Named below like any other value that is no object.
  }
  if (isJsonObject(value)) return value;
  throw refusedParam('customBody', 'must be a JSON object, the whole body of the request');
}
