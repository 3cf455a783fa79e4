import type { AssistantFrame } from '@millrace/contracts';
import { type JsonObject, plainWords } from '@millrace/engine';
import type { ToolDefinition } from '@millrace/models';
import { z } from 'zod';
import type { Context, Services } from '../../../services.ts';

/** Hides the person's secrets, and addresses with tokens, in what the model reads. */
export type Mask = <T>(value: T) => T;

/** The world that tools work with: the person's own rights, the same services that answer their requests. */
export interface ToolWorld {
  readonly ctx: Context;
  readonly services: Services;
  /** Aborted when the person has left: what was started ends. */
  readonly left: AbortSignal;
  /** Aborted at the latest when the turn has used up its time. */
  readonly signal: AbortSignal;
  readonly emit: (frame: AssistantFrame) => void;
  readonly mask: Mask;
}

/** The effect of a change, in words for the person who confirms it. */
export interface Proposed {
  readonly summary: string;
}

/** A tool whose arguments were checked against its schema. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** The arguments as the schema makes them. */
  readonly parse: (input: unknown) => z.ZodSafeParseResult<JsonObject>;
  readonly label: string;
  /**
   * Present for what changes or sends something: checks that the person may do it, and says what they confirm. Such a tool
   * is never used before they have.
   */
  readonly propose?: (world: ToolWorld, input: JsonObject) => Promise<Proposed>;
  /** @param confirmation_id of the person's decision, for tools that have `propose` */
  readonly use: (world: ToolWorld, input: JsonObject, confirmation_id: string) => Promise<unknown>;
}

interface Definition<Input extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly label: string;
  readonly input: Input;
  readonly propose?: (world: ToolWorld, input: z.output<Input>) => Promise<Proposed>;
  readonly use: (world: ToolWorld, input: z.output<Input>, confirmation_id: string) => Promise<unknown>;
}

export function defineTool<Input extends z.ZodObject>({
  name,
  description,
  label,
  input,
  propose,
  use,
}: Definition<Input>): Tool {
  const { $schema: _, ...input_schema } = z.toJSONSchema(input, { io: 'input' });
  // Guarantee: only what `parse` returned reaches the functions below.
  const checked = (given: JsonObject) => given as z.output<Input>;
  return {
    definition: { name, description, input_schema: input_schema as JsonObject },
    label,
    parse: (given) => input.safeParse(given, { error: plainWords }) as z.ZodSafeParseResult<JsonObject>,
    ...(propose ? { propose: (world, given) => propose(world, checked(given)) } : {}),
    use: (world, given, confirmation_id) => use(world, checked(given), confirmation_id),
  };
}
