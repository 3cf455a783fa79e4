import { type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { modelChoices } from '../kit/models/choices.ts';
import { findModelProvider } from '../kit/models/model-service.ts';
import { hostsIn } from '../kit/network/host-list.ts';
import { refusedParam } from '../kit/refused-param.ts';
import type { ProgramJob } from '../services.ts';
import { performAiStep, readSavedSteps } from './ai-step.ts';
import { restrictedTo } from './allowed-hosts.ts';
import { browserState, stateFrom } from './auth.ts';
import { type Browser, openBrowser } from './browser.ts';
import { type BrowserStep, CODE_IS_OFF, playwright } from './definition.ts';
import { BrowserWork, inPlace, type Place, requireComplete } from './perform.ts';

type Params = z.output<typeof playwright.params>;
type Call = NodeCall<Params>;

const MOST_STEPS = 200;
const READ_MS = 10_000;
const requests = z.array(z.record(z.string(), z.json())).max(500);

export const runPlaywright = implement(
  playwright,
  async (call) => {
    const { params, services, signal } = call;
    if (params.playwrightMode === 'code') throw refusedParam('playwrightMode', CODE_IS_OFF);
    const isKept = params.playwrightAuthEnabled;
    const lists = [
      { field: 'playwrightSteps' as const, steps: params.playwrightSteps },
      ...(isKept
        ? [{ field: 'playwrightAuthFallbackSteps' as const, steps: params.playwrightAuthFallbackSteps }]
        : []),
    ];
    await requireCredentials(call, lists);
    for (const list of lists) requireSteps(list);
    const state = isKept ? stateFrom(params.playwrightAuthStateExpression) : undefined;
    const http = restrictedTo(
      hostsIn(params.playwrightAllowedHosts, 'playwrightAllowedHosts'),
      services.http,
    );
    const outlet = { http, startProgram: (job: ProgramJob) => services.startProgram(job) };
    const browser = await openBrowser(outlet, signal, {
      headless: params.playwrightHeadless,
      stealth: params.playwrightStealth,
      captures_network: params.playwrightCaptureNetwork,
      ...state,
    });
    try {
      return { output: await new Session(call, browser, state !== undefined).run() };
    } finally {
      await browser.close();
    }
  },
  { choices: modelChoices },
);

interface StepList {
  readonly field: Place['field'];
  readonly steps: readonly BrowserStep[];
}

function requireSteps({ field, steps }: StepList): void {
  if (steps.length === 0 && field === 'playwrightSteps') throw refusedParam(field, 'is empty; add a step');
  if (steps.length > MOST_STEPS) throw refusedParam(field, `has more than ${MOST_STEPS} steps`);
  for (const [index, step] of steps.entries()) {
    requireComplete(step, { field, index });
    if (step.action === 'aiStep') readSavedSteps(step, { field, index });
  }
}

/** The models of all steps, before anything is started: who may not use a credential changes nothing. */
async function requireCredentials({ services }: Call, lists: readonly StepList[]): Promise<void> {
  for (const { field, steps } of lists) {
    for (const [index, step] of steps.entries()) {
      if (step.action !== 'aiStep') continue;
      const refuse = (name: string, words: string) =>
        refusedParam(`${field}.${index}.${name}`, `${words} (step ${index + 1})`);
      const id = (step.credentialId ?? '').trim();
      if (id === '') throw refuse('credentialId', 'choose the credential of the model');
      const { type } = await services.credential(id);
      if (type !== 'model_router' && findModelProvider(type) === undefined) {
        throw refuse('credentialId', `is of the type ${type}; choose one of a model`);
      }
      if ((step.model ?? '').trim() === '') throw refuse('model', 'choose the model');
      if (step.instructions.trim() === '') throw refuse('instructions', 'is empty; say what to do');
    }
  }
}

/** One call of the node with its browser. */
class Session {
  readonly #call: Call;
  readonly #browser: Browser;
  readonly #hasState: boolean;
  readonly #work: BrowserWork;
  readonly #saved: JsonObject[] = [];

  constructor(call: Call, browser: Browser, hasState: boolean) {
    this.#call = call;
    this.#browser = browser;
    this.#hasState = hasState;
    this.#work = new BrowserWork(call, browser, call.params.playwrightTimeout);
  }

  async run(): Promise<JsonObject> {
    const { playwrightSteps: steps, playwrightAuthEnabled } = this.#call.params;
    for (const [index, step] of steps.entries()) {
      await this.#do(step, { field: 'playwrightSteps', index });
      if (index === 0 && playwrightAuthEnabled) await this.#signIn(step);
    }
    return this.#output();
  }

  /** Signs in if the page does not show that the user is, and repeats the first step. */
  async #signIn(first: BrowserStep): Promise<void> {
    const { playwrightAuthFallbackSteps: steps } = this.#call.params;
    if (await this.#isSignedIn()) return;
    if (steps.length === 0) {
      const message = 'Not signed in, and there are no sign-in steps';
      throw new NodeFailure({ kind: 'upstream', field: 'playwrightAuthFallbackSteps', message });
    }
    for (const [index, step] of steps.entries()) {
      await this.#do(step, { field: 'playwrightAuthFallbackSteps', index });
    }
    await this.#do(first, { field: 'playwrightSteps', index: 0 });
    if (this.#selector !== '' && !(await this.#isSignedIn())) {
      const message = `The sign-in steps ran, but the page does not show "${this.#selector}"`;
      throw new NodeFailure({ kind: 'upstream', field: 'playwrightAuthCheckSelector', message });
    }
  }

  get #selector(): string {
    return this.#call.params.playwrightAuthCheckSelector.trim();
  }

  async #isSignedIn(): Promise<boolean> {
    const { playwrightAuthCheckTimeout: timeout } = this.#call.params;
    if (this.#selector === '') return this.#hasState;
    return this.#browser.perform({ action: 'has', selector: this.#selector, timeout }, z.boolean());
  }

  async #do(step: BrowserStep, place: Place): Promise<void> {
    if (step.action !== 'aiStep') return this.#work.perform(step, place);
    const world = { call: this.#call, browser: this.#browser, work: this.#work };
    const done = await performAiStep(world, step, place).catch((error: unknown) => {
      throw inPlace(error, step, place);
    });
    if (!done) return;
    if (step.outputKey.trim() !== '') this.#work.results.set(step.outputKey.trim(), done.result);
    if (step.saveStepsForFuture) {
      this.#saved.push({ field: place.field, step: place.index + 1, steps: [...done.taken] });
    }
  }

  async #output(): Promise<JsonObject> {
    const { playwrightAuthEnabled, playwrightCaptureNetwork } = this.#call.params;
    const ask = <T extends Json>(action: string, schema: z.ZodType<T>) =>
      this.#browser.perform({ action, timeout: READ_MS }, schema);
    return {
      status: 'ok',
      results: Object.fromEntries(this.#work.results),
      screenshot: this.#work.screenshot,
      ...(playwrightAuthEnabled ? await ask('state', browserState) : {}),
      ...(playwrightCaptureNetwork ? { networkRequests: await ask('requests', requests) } : {}),
      ...(this.#saved.length > 0 ? { saveSteps: this.#saved } : {}),
    };
  }
}
