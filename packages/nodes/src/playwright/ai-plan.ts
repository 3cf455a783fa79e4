import type { JsonObject } from '@millrace/engine';
import { z } from 'zod';
import { type BrowserStep, savedSteps } from './definition.ts';

const element = z.object({
  selector: z.string().max(5_000),
  role: z.string().max(200),
  name: z.string().max(200),
  value: z.string().max(200).optional(),
  options: z.array(z.string().max(100)).max(50).optional(),
  disabled: z.boolean().optional(),
});

/** A page as a model sees it: its visible elements that one can read or use. */
export const outline = z.object({
  url: z.string().transform((url) => url.slice(0, 2_000)),
  title: z.string().max(200),
  elements: z.array(element).max(200),
});

export type Outline = z.output<typeof outline>;

const ref = z.int().min(0);
const text = z.string().max(20_000);
const pixels = z.number().min(0).max(100_000).default(500);

/** Addresses are opened by steps of the node alone: a page must not make a model send what it knows to another one. */
const action = z.discriminatedUnion('action', [
  z.object({ action: z.literal('click'), ref }),
  z.object({ action: z.literal('hover'), ref }),
  z.object({ action: z.literal('getText'), ref }),
  z.object({ action: z.literal('fill'), ref, text }),
  z.object({ action: z.literal('type'), ref, text }),
  z.object({ action: z.literal('selectOption'), ref, text }),
  z.object({ action: z.literal('getVisibleTextOnPage') }),
  z.object({ action: z.literal('scrollDown'), amount: pixels }),
  z.object({ action: z.literal('scrollUp'), amount: pixels }),
  z.object({ action: z.literal('wait'), timeout: z.number().min(0).max(10_000).default(1_000) }),
]);

const plan = z.object({
  actions: z.array(action).max(20).default([]),
  done: z.boolean().default(false),
  result: z.string().max(100_000).nullish(),
});

type Plan = z.output<typeof plan>;

/** An action of a model as a step that can be saved. */
export type TakenAction = JsonObject;

/** The JSON of an answer, which some models wrap into a code block. */
export function readPlan(answer: string): { readonly plan?: Plan; readonly problem?: string } {
  const inside = /```(?:json)?\s*([\s\S]*?)```/.exec(answer)?.[1] ?? answer;
  let value: unknown;
  try {
    value = JSON.parse(inside);
  } catch {
    return { problem: 'it is not JSON' };
  }
  const read = plan.safeParse(value);
  if (read.success) return { plan: read.data };
  const [issue] = read.error.issues;
  return { problem: `${issue?.path.join('.') || 'the answer'}: ${issue?.message}` };
}

type Acting = { readonly step: BrowserStep; readonly taken: TakenAction };

/** The step for an action; without an element of that number only why not. */
export function resolveAction(
  wanted: Plan['actions'][number],
  { elements }: Outline,
): { readonly action?: Acting; readonly words: string } {
  const found = 'ref' in wanted ? elements[wanted.ref] : undefined;
  if ('ref' in wanted && !found) return { words: `there is no element ${wanted.ref}` };
  const taken: TakenAction = {
    action: wanted.action,
    ...(found ? { selector: found.selector } : {}),
    ...('text' in wanted ? { [wanted.action === 'type' ? 'text' : 'value']: wanted.text } : {}),
    ...('amount' in wanted ? { amount: wanted.amount } : {}),
    ...('timeout' in wanted ? { timeout: wanted.timeout } : {}),
  };
  const [step] = savedSteps.parse([taken]);
  const words = found ? `${wanted.action} "${found.name}"` : wanted.action;
  return step ? { action: { step: { ...step, timeout: step.timeout ?? ACT_MS }, taken }, words } : { words };
}

/** Elements that a model acts on are there already, so that waiting for long would only cost time. */
const ACT_MS = 5_000;
