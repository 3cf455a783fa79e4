import { createHash } from 'node:crypto';
import { isBlockedKey, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { z } from 'zod';
import type { NodeCall } from '../implement.ts';
import { type FileRecord, fileRecord } from '../kit/files/file-record.ts';
import { refusedParam } from '../kit/refused-param.ts';
import type { Browser, Command } from './browser.ts';
import { type BrowserStep, ON_ELEMENT } from './definition.ts';

/** Where a step stands, for messages. */
export interface Place {
  readonly field: 'playwrightSteps' | 'playwrightAuthFallbackSteps';
  /** From 0. */
  readonly index: number;
}

/** How long a wait without a selector takes that has no time of its own. */
const WAIT_MS = 1_000;
const SCROLL_PIXELS = 500;
const MOST_SCREENSHOTS = 50;

/** Refuses a step that cannot work, before anything is started. */
export function requireComplete(step: BrowserStep, { field, index }: Place): void {
  const refuse = (name: string, words: string) =>
    refusedParam(`${field}.${index}.${name}`, `${words} (step ${index + 1}, ${step.action})`);
  if (step.action === 'navigate' && !isWebAddress(step.url)) {
    throw refuse('url', 'must be an address that begins with http:// or https://');
  }
  if (ON_ELEMENT.has(step.action) && step.selector.trim() === '') {
    throw refuse('selector', 'is empty; name an element');
  }
  if (step.action === 'getAttribute' && step.attribute.trim() === '') {
    throw refuse('attribute', 'is empty; name the attribute');
  }
  if (isBlockedKey(step.outputKey.trim()))
    throw refuse('outputKey', 'is a reserved name; choose another one');
}

function isWebAddress(text: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(text.trim()).protocol);
  } catch {
    return false;
  }
}

/** The work of a browser for one call of the node. */
export class BrowserWork {
  readonly results = new Map<string, Json>();
  screenshot: FileRecord | null = null;
  readonly #call: Pick<NodeCall, 'services' | 'idempotency_key'>;
  readonly #browser: Browser;
  readonly #timeout: number;
  #screenshots = 0;

  constructor(call: Pick<NodeCall, 'services' | 'idempotency_key'>, browser: Browser, timeout: number) {
    this.#call = call;
    this.#browser = browser;
    this.#timeout = timeout;
  }

  /** Does one step and keeps what it read. Throws `NodeFailure` that names the step. */
  async perform(step: BrowserStep, place: Place): Promise<void> {
    try {
      const value = await this.act(step);
      const isNumbered = place.field === 'playwrightSteps' && isReading(step);
      const key = step.outputKey.trim() || (isNumbered ? `step${place.index + 1}` : '');
      if (key !== '' && value !== undefined) this.results.set(key, value);
    } catch (error) {
      throw inPlace(error, step, place);
    }
  }

  /** Does a step that is none of a model; what it read, or undefined. */
  async act(step: BrowserStep): Promise<Json | undefined> {
    const command = toCommand(step, this.#timeout);
    switch (step.action) {
      case 'navigate':
        return this.#navigate(command, step.url.trim());
      case 'screenshot':
        return this.#takeScreenshot(command);
      case 'getText':
      case 'getAttribute':
      case 'getHTML':
      case 'getVisibleTextOnPage':
        return this.#browser.perform(command, z.string().nullable());
      default:
        await this.#browser.perform(command, z.unknown());
        return undefined;
    }
  }

  async #navigate(command: Command, url: string): Promise<Json> {
    try {
      return await this.#browser.perform({ ...command, url }, opened);
    } catch (error) {
      const refusal = this.#browser.findRefusal(url);
      if (refusal === undefined || !(error instanceof NodeFailure) || error.failure.kind !== 'upstream')
        throw error;
      throw new NodeFailure({ kind: 'upstream', message: refusal }, { cause: error });
    }
  }

  async #takeScreenshot(command: Command): Promise<FileRecord> {
    if (++this.#screenshots > MOST_SCREENSHOTS) {
      const message = `more than ${MOST_SCREENSHOTS} screenshots are not stored`;
      throw new NodeFailure({ kind: 'limit', message });
    }
    const bytes = Buffer.from(await this.#browser.perform(command, z.string()), 'base64');
    // A repeated node finds the file when the page looks the same, and stores another one when it does not.
    const hash = createHash('sha256').update(bytes).digest('hex');
    const stored = await this.#call.services.files.store({
      filename: `screenshot-${this.#screenshots}.png`,
      body: (async function* () {
        yield bytes;
      })(),
      key: `${this.#call.idempotency_key}:${this.#screenshots}:${hash}`,
    });
    this.screenshot = fileRecord(stored);
    return this.screenshot;
  }
}

const opened = z.object({ url: z.string(), status: z.int().nullable() });

const isReading = ({ action }: BrowserStep): boolean => action.startsWith('get');

/** A step as the browser takes it. */
function toCommand(step: BrowserStep, timeout_ms: number): Command {
  const { action, selector, attribute } = step;
  const isPause = action === 'wait' && selector.trim() === '';
  return {
    action,
    timeout: step.timeout ?? (isPause ? WAIT_MS : timeout_ms),
    selector: selector.trim(),
    // Exports have the words of both in either.
    text: action === 'type' ? step.text || step.value : step.value || step.text,
    attribute: attribute.trim(),
    amount: step.amount ?? SCROLL_PIXELS,
  };
}

/** The failure of a step, with its number, its action and the element that it was for. */
export function inPlace(error: unknown, step: BrowserStep, { field, index }: Place): unknown {
  if (!(error instanceof NodeFailure) || ['cancelled', 'params'].includes(error.failure.kind)) return error;
  const what = step.action === 'navigate' ? step.url : step.selector;
  const name = what.trim() === '' ? step.action : `${step.action} "${what.trim().slice(0, 200)}"`;
  const list = field === 'playwrightSteps' ? 'Step' : 'Sign-in step';
  const message = `${list} ${index + 1} (${name}): ${error.failure.message}`;
  const details: JsonObject = { ...error.failure.details, step: index + 1, action: step.action };
  return new NodeFailure({ ...error.failure, message, details }, { cause: error });
}
