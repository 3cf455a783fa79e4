import { defineNode, field, isJsonObject, type JsonObject } from '@millrace/engine';
import { z } from 'zod';
import { ASKED_TYPES } from '../kit/models/params/model-params.ts';
import { numeric, optionalNumeric } from '../kit/values/numeric.ts';

const TITLES = {
  navigate: 'Open a page',
  click: 'Click',
  type: 'Type text',
  fill: 'Fill in',
  selectOption: 'Select an option',
  hover: 'Hover',
  wait: 'Wait',
  scrollDown: 'Scroll down',
  scrollUp: 'Scroll up',
  getText: 'Get text',
  getAttribute: 'Get attribute',
  getHTML: 'Get HTML',
  getVisibleTextOnPage: 'Get visible text of the page',
  screenshot: 'Take a screenshot',
  aiStep: 'AI step',
} as const;

type Action = keyof typeof TITLES;

const ACTIONS = Object.keys(TITLES) as [Action, ...Action[]];

/** Steps that change nothing on a server, as far as one can tell. */
const READING: ReadonlySet<unknown> = new Set<Action>([
  'navigate',
  'wait',
  'screenshot',
  'getText',
  'getAttribute',
  'getHTML',
  'getVisibleTextOnPage',
  'scrollDown',
  'scrollUp',
  'hover',
]);

/** Steps that need an element. */
export const ON_ELEMENT: ReadonlySet<Action> = new Set<Action>([
  'click',
  'type',
  'fill',
  'selectOption',
  'hover',
  'getText',
  'getAttribute',
]);

const of = (...actions: Action[]) => ({ shown_when: [{ field: 'action', is: actions }] });
const AI = of('aiStep');

/** Exports leave out what is not set, or write null. */
const text = (title: string, options: Parameters<typeof field.template>[1] = {}) =>
  field
    .custom(
      z
        .union([z.string(), z.number(), z.boolean(), z.null()], { error: 'must be text' })
        .transform((value) => (value === null ? '' : String(value))),
      title,
      { kind: 'expression', mode: 'template', ...options },
    )
    .default('');

const step = z.looseObject({
  action: field
    .choice('Action', ACTIONS, { choices: ACTIONS.map((value) => ({ value, title: TITLES[value] })) })
    .default('navigate'),
  url: text('Address', { placeholder: 'https://example.com', ...of('navigate') }),
  selector: text('Selector', {
    placeholder: '#login',
    help: 'A CSS or Playwright selector, such as text=Sign in. The first match is used.',
    ...of(
      'click',
      'type',
      'fill',
      'selectOption',
      'hover',
      'wait',
      'scrollDown',
      'scrollUp',
      'getText',
      'getAttribute',
      'getHTML',
      'screenshot',
    ),
  }),
  text: text('Text', of('type')),
  value: text('Value', of('fill', 'selectOption')),
  attribute: text('Attribute', { placeholder: 'href', ...of('getAttribute') }),
  amount: optionalNumeric('Pixels', {
    min: 0,
    max: 1_000_000,
    placeholder: '500',
    ...of('scrollDown', 'scrollUp'),
  }),
  instructions: text('Instructions', { kind: 'multiline', ...AI }),
  credentialId: field
    .custom(z.string().nullable(), 'Credential', { kind: 'credential', credential_types: ASKED_TYPES, ...AI })
    .default(''),
  model: field
    .custom(z.string().nullable(), 'Model', {
      kind: 'resource',
      mode: 'template',
      resource: { list: 'models', depends_on: ['credentialId'] },
      ...AI,
    })
    .default(''),
  sendScreenshot: field.boolean('Send a screenshot to the model', AI).default(false),
  aiStepTimeout: numeric('Timeout of the AI step', {
    min: 1_000,
    max: 900_000,
    help: 'In milliseconds, for the whole step.',
    ...AI,
  }).default(120_000),
  savedSteps: field
    .custom(z.unknown(), 'Saved steps', {
      kind: 'json',
      help: 'The steps from the output saveSteps of an earlier run. They run instead of asking the model.',
      ...AI,
    })
    .default(''),
  autoHealMode: field.boolean('Ask the model if saved steps fail', AI).default(false),
  saveStepsForFuture: field.boolean('Return the steps for later runs', AI).default(false),
  logStepsToConsole: field.boolean('Log the steps of the model', AI).default(false),
  timeout: optionalNumeric('Time limit', {
    min: 0,
    max: 600_000,
    help: 'In milliseconds. For a wait without a selector: how long to wait.',
    ...of(...ACTIONS.filter((action) => action !== 'aiStep')),
  }),
  outputKey: text('Result name', {
    placeholder: 'title',
    ...of('getText', 'getAttribute', 'getHTML', 'getVisibleTextOnPage', 'screenshot', 'navigate', 'aiStep'),
  }),
});

export type BrowserStep = z.output<typeof step>;

const stepList = (title: string, options: Parameters<typeof field.rows>[2] = {}) =>
  field.rows(title, step, options).default([]);

/** Steps that a model took, as a later run is given them. */
export const savedSteps = z.array(step).max(100);

/** Whether stored steps change nothing, so that they may be repeated. A model may do anything on a page. */
function onlyRead(data: JsonObject): boolean {
  const lists = [
    data['playwrightSteps'] ?? [],
    data['playwrightAuthEnabled'] === true ? (data['playwrightAuthFallbackSteps'] ?? []) : [],
  ];
  return lists.every(
    (list) =>
      Array.isArray(list) &&
      list.every((one) => isJsonObject(one) && READING.has(one['action'] ?? 'navigate')),
  );
}

const AUTH = { group: 'Sign-in', shown_when: [{ field: 'playwrightAuthEnabled', is: [true] }] };
const STEPS = { shown_when: [{ field: 'playwrightMode', is: ['steps'] }] };

export const CODE_IS_OFF =
  'cannot be code, which this installation does not run in browsers; use steps, or a Code node for what needs no browser';

export const playwright = defineNode({
  type: 'playwright',
  title: 'Playwright',
  family: 'network',
  summary: 'Controls a browser: opens pages, clicks, fills in forms, reads text and takes screenshots.',
  search_words: ['browser automation', 'puppeteer'],
  icon: 'app-window',
  params: z.object({
    playwrightMode: field
      .choice('Mode', ['steps', 'code'], {
        choices: [
          { value: 'steps', title: 'Steps' },
          { value: 'code', title: 'Code (not available)' },
        ],
      })
      .default('steps'),
    playwrightSteps: stepList('Steps', STEPS),
    playwrightCode: field.text('Code', { kind: 'hidden' }).default(''),
    playwrightTimeout: numeric('Timeout per step', {
      min: 1,
      max: 600_000,
      help: 'In milliseconds.',
    }).default(30_000),
    playwrightHeadless: field
      .boolean('Headless', {
        group: 'Browser',
        help: 'Off: uses the full browser where the image has one, still without a window.',
      })
      .default(true),
    playwrightStealth: field
      .boolean('Stealth mode', {
        group: 'Browser',
        help: 'Hides signs that the browser is automated.',
      })
      .default(false),
    playwrightAllowedHosts: field
      .template('Allowed hosts', {
        group: 'Browser',
        placeholder: 'example.com, example.org',
        help: 'The browser connects only to these hosts and their subdomains, including for images and scripts. Empty: any public host.',
      })
      .default(''),
    playwrightCaptureNetwork: field.boolean('Capture network requests', { group: 'Browser' }).default(false),
    playwrightAuthEnabled: field
      .boolean('Stay signed in', {
        group: 'Sign-in',
        help: 'Starts with the cookies and storage of an earlier run, and returns them in the output.',
      })
      .default(false),
    playwrightAuthStateExpression: field
      .raw('Saved session', { ...AUTH, placeholder: '$vars.session' })
      .default(''),
    playwrightAuthCheckSelector: field
      .template('Selector of a signed-in page', {
        ...AUTH,
        placeholder: '#account',
        help: 'Checked after the first step. If empty, a saved session counts as signed in.',
      })
      .default(''),
    playwrightAuthCheckTimeout: numeric('Timeout of the check', {
      min: 0,
      max: 600_000,
      help: 'In milliseconds.',
      ...AUTH,
    }).default(5_000),
    playwrightAuthFallbackSteps: stepList('Sign-in steps', AUTH),
  }),
  initial: { label: 'playwright', playwrightSteps: [{ action: 'navigate', url: '$input.text' }] },
  output: z.object({
    status: z.literal('ok'),
    results: z.record(z.string(), z.json()),
    screenshot: z.json(),
    cookies: z.array(z.json()).optional(),
    localStorage: z.json().optional(),
    sessionStorage: z.json().optional(),
    networkRequests: z.array(z.json()).optional(),
    saveSteps: z.array(z.json()).optional(),
  }),
  problems: ({ playwrightMode }) =>
    playwrightMode === 'code' ? [{ field: 'playwrightMode', words: CODE_IS_OFF }] : [],
  // A browser cannot be resumed in another container after a crash, so recording its steps would not help.
  effect: (data) => (onlyRead(data) ? 'read' : 'unsafe'),
});
