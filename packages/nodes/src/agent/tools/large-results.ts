import { type Json, type JsonObject, printValue } from '@millrace/engine';
import type { Tool } from './tool.ts';

/** A longer result is not put before the model as a whole. */
const MAX_CHARACTERS = 32_000;
const PREVIEW_CHARACTERS = 4_000;
const MAX_PAGE = 16_000;

/** Results of tools that are too long for a conversation; the model reads them in parts. */
export class LargeResults {
  readonly #texts = new Map<string, string>();

  /** The text of a result that the model reads. `key` names it. */
  shown(key: string, result: Json): string {
    const text = printValue(result);
    if (text.length <= MAX_CHARACTERS) return text;
    this.#texts.set(key, text);
    return JSON.stringify({
      reference: key,
      characters: text.length,
      preview: text.slice(0, PREVIEW_CHARACTERS),
      note: 'The result is long. Read more of it with read_tool_result.',
    });
  }

  /** `read_tool_result`, as soon as there is something to read. */
  get tools(): readonly Tool[] {
    return this.#texts.size === 0 ? [] : [this.#tool()];
  }

  #tool(): Tool {
    return {
      definition: {
        name: 'read_tool_result',
        description: 'Returns a part of a long result of a tool.',
        input_schema: {
          type: 'object',
          properties: {
            reference: { type: 'string', enum: [...this.#texts.keys()] },
            offset: { type: 'integer', description: 'First character, from 0' },
            length: { type: 'integer', description: `Characters, at most ${MAX_PAGE}` },
          },
          required: ['reference'],
          additionalProperties: false,
        },
      },
      source: 'stored_result',
      is_parallel: true,
      touches: 'nothing',
      is_outside: true,
      // Recorded already, so that reading it needs no step.
      use: (input) => Promise.resolve({ result: this.#page(input), elapsed_ms: 0 }),
    };
  }

  #page({ reference, offset, length }: JsonObject): JsonObject {
    const text = (typeof reference === 'string' && this.#texts.get(reference)) || '';
    const from = wholeNumber(offset, 0, text.length);
    const part = text.slice(from, from + wholeNumber(length, MAX_PAGE, MAX_PAGE));
    const next = from + part.length;
    return { text: part, ...(next < text.length ? { next_offset: next } : {}) };
  }
}

function wholeNumber(value: Json | undefined, usual: number, most: number): number {
  const given = Number(value ?? usual);
  return Number.isFinite(given) ? Math.min(Math.max(Math.trunc(given), 0), most) : usual;
}
