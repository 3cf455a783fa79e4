import { type Json, NodeFailure, readJsonText } from '@millrace/engine';
import { z } from 'zod';
import { type Answer, type Asking, askOnce, modelFailure } from '../kit/models/ask.ts';
import type { Prepared } from '../kit/models/request.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { dataRule, markedData } from '../kit/text/marked-data.ts';
import { type Outline, outline, readPlan, resolveAction, type TakenAction } from './ai-plan.ts';
import type { Browser } from './browser.ts';
import { type BrowserStep, savedSteps } from './definition.ts';
import { type BrowserWork, type Place, requireComplete } from './perform.ts';

const MOST_ROUNDS = 12;
const OUTLINE_MS = 10_000;
const MOST_READ = 20_000;

const SYSTEM = [
  'You steer a web page in the place of a person. You see its visible elements as a list, each with a number `ref`, and act until the task is done.',
  'Answer only with JSON: {"actions": [...], "done": boolean, "result": string or null}.',
  'Actions: {"action": "click", "ref": 3}, {"action": "fill", "ref": 3, "text": "..."}, {"action": "type", "ref": 3, "text": "..."}, {"action": "selectOption", "ref": 3, "text": "label"}, {"action": "hover", "ref": 3}, {"action": "getText", "ref": 3}, {"action": "getVisibleTextOnPage"}, {"action": "scrollDown", "amount": 500}, {"action": "scrollUp", "amount": 500}, {"action": "wait", "timeout": 1000}.',
  'Give only actions whose elements are in the list; when the page changes, you see it again. Set done when the task is done, and put what was asked for into result.',
  dataRule('Pages'),
].join('\n');

export interface AiOutcome {
  readonly result: Json;
  /** The actions of the model, to be done again without it. */
  readonly taken: readonly TakenAction[];
}

interface World {
  readonly call: Asking;
  readonly browser: Browser;
  readonly work: BrowserWork;
}

/** Saved steps of a step; undefined when it has none. */
export function readSavedSteps(step: BrowserStep, { field, index }: Place): BrowserStep[] | undefined {
  const { savedSteps: given } = step;
  if (given === '' || given === null || (Array.isArray(given) && given.length === 0)) return undefined;
  const value = typeof given === 'string' ? readJsonText(given) : given;
  const read = savedSteps.safeParse(value);
  if (read.success && read.data.every(({ action }) => action !== 'aiStep')) {
    for (const saved of read.data) requireComplete(saved, { field, index });
    return read.data;
  }
  throw refusedParam(`${field}.${index}.savedSteps`, 'must be a list of steps without a step of a model');
}

/** Does what the instructions of a step say: by its saved steps, or by asking a model until it says that it is done. */
export async function performAiStep(
  world: World,
  step: BrowserStep,
  place: Place,
): Promise<AiOutcome | undefined> {
  const saved = readSavedSteps(step, place);
  if (saved) {
    const failure = await replay(world, saved);
    if (!failure) return undefined;
    if (!step.autoHealMode) throw failure;
    world.call.services.log('info', `The saved steps failed, and the model is asked: ${failure.message}`);
  }
  return askUntilDone(world, step);
}

async function replay({ work }: World, saved: readonly BrowserStep[]): Promise<NodeFailure | undefined> {
  for (const [index, step] of saved.entries()) {
    try {
      await work.act(step);
    } catch (error) {
      if (!(error instanceof NodeFailure) || error.failure.kind === 'cancelled') throw error;
      const { failure } = error;
      const message = `saved step ${index + 1} (${step.action} "${step.selector}"): ${failure.message}`;
      return new NodeFailure({ ...failure, message }, { cause: error });
    }
  }
  return undefined;
}

async function askUntilDone(world: World, step: BrowserStep): Promise<AiOutcome> {
  const { call, browser } = world;
  const until = AbortSignal.timeout(step.aiStepTimeout);
  const signal = AbortSignal.any([call.signal, until]);
  const taken: TakenAction[] = [];
  let happened = '';
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const page = await browser.perform({ action: 'outline', timeout: OUTLINE_MS }, outline);
    const image = step.sendScreenshot
      ? await browser.perform({ action: 'screenshot', timeout: OUTLINE_MS }, z.string())
      : undefined;
    const message = buildMessage(step, page, happened);
    const answer = await ask(call, step, { message, image, round, signal }).catch((error: unknown) => {
      throw until.aborted ? late(step) : error;
    });
    const { plan, problem } = readPlan(answer.text);
    if (!plan) {
      happened = `Your answer cannot be used: ${problem}.`;
      continue;
    }
    happened = await carryOut(world, { step, page, actions: plan.actions, taken });
    if (until.aborted) throw late(step);
    if (plan.done && happened === '') return { result: plan.result ?? null, taken };
  }
  throw new NodeFailure({ kind: 'limit', message: `the model was not done after ${MOST_ROUNDS} answers` });
}

const late = ({ aiStepTimeout }: BrowserStep): NodeFailure =>
  new NodeFailure({ kind: 'timeout', message: `the model was not done after ${aiStepTimeout / 1_000} s` });

interface Carrying {
  readonly step: BrowserStep;
  readonly page: Outline;
  readonly actions: readonly Parameters<typeof resolveAction>[0][];
  readonly taken: TakenAction[];
}

/** Does the actions of an answer. What the model has to know of it; empty when there is nothing. */
async function carryOut({ call, work }: World, { step, page, actions, taken }: Carrying): Promise<string> {
  const read: string[] = [];
  for (const wanted of actions) {
    const { action, words } = resolveAction(wanted, page);
    if (!action) return [...read, `${wanted.action}: ${words}`].join('\n');
    if (step.logStepsToConsole) call.services.log('info', `${step.instructions.slice(0, 80)}: ${words}`);
    try {
      const value = await work.act(action.step);
      taken.push(action.taken);
      if (typeof value === 'string') {
        read.push(markedData('page', `${words}\n${value.slice(0, MOST_READ)}`));
      }
    } catch (error) {
      if (!(error instanceof NodeFailure) || error.failure.kind === 'cancelled') throw error;
      return [...read, markedData('page', `${words} failed: ${error.failure.message}`)].join('\n');
    }
  }
  return read.join('\n');
}

function buildMessage({ instructions }: BrowserStep, page: Outline, happened: string): string {
  const elements = page.elements.map((element, ref) => JSON.stringify({ ref, ...shown(element) })).join('\n');
  const before = happened === '' ? '' : `\n\nAfter your last answer:\n${happened}`;
  const now = markedData('page', `${page.url}\n${page.title}\n${elements}`);
  return `Task: ${instructions}${before}\n\nThe page now:\n${now}`;
}

/** Selectors are for the browser; a model that made its own would miss. */
const shown = ({ selector: _selector, ...element }: Outline['elements'][number]) => element;

interface Question {
  readonly message: string;
  /** A picture of the page, as PNG in Base64. */
  readonly image: string | undefined;
  readonly round: number;
  readonly signal: AbortSignal;
}

async function ask(
  call: Asking,
  { credentialId, model, aiStepTimeout }: BrowserStep,
  { message, image, round, signal }: Question,
): Promise<Answer> {
  const prepared: Prepared = {
    schema: undefined,
    system: SYSTEM,
    messages: [
      { role: 'user', text: message, ...(image ? { images: [`data:image/png;base64,${image}`] } : {}) },
    ],
    json: {},
    timeout_ms: aiStepTimeout,
  };
  const target = { credential_id: (credentialId ?? '').trim(), model: (model ?? '').trim() };
  try {
    return await askOnce(call, { name: `answer-${round}`, signal }, target, prepared);
  } catch (error) {
    if (!(error instanceof NodeFailure) || signal.aborted || error.failure.kind === 'limit') throw error;
    throw modelFailure(error.failure, error);
  }
}
