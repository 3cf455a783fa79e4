import { type JsonObject, readText } from '@millrace/engine';
import { formatScalar } from '../../source/source.ts';
import { type Converted, type Kind, NotConvertible, type Target } from '../kind.ts';

const manual: Kind = {
  convert: () => ({ type: 'textInput', data: { value: '', inputFields: [] } }),
};

/** Called by another workflow: what that hands over is the body, whose keys stand on top of the output, too. */
const called: Kind = {
  convert: (_, { params }) => {
    params.get('inputSource');
    params.get('jsonExample');
    const rows = params.rows('workflowInputs.values');
    return {
      type: 'textInput',
      data: { value: '', inputFields: toFields(rows.map(({ name }) => readText(name))) },
    };
  },
};

const toFields = (names: readonly string[]): JsonObject[] =>
  names.filter((name) => name !== '').map((key) => ({ key }));

const chat: Kind = {
  view: () => ({ renamed: { chatInput: 'text' } }),
  convert: (_, to) => {
    if (to.params.flag('public')) to.say('The chat is not public here until you switch on a portal');
    return { type: 'textInput', data: { value: '', inputFields: [{ key: 'text' }] } };
  },
};

/** The chat trigger before it had a page: its first version calls the words `input`. */
const manualChat: Kind = { ...chat, view: () => ({ renamed: { chatInput: 'text', input: 'text' } }) };

const form: Kind = {
  convert: (_, to) => {
    const rows = to.params.rows('formFields.values');
    to.say(
      'The form has no page of its own here; callers send its fields, or people fill them in on the portal',
    );
    return {
      type: 'textInput',
      // The name of a field is that of its label unless it was given one.
      data: {
        value: '',
        inputFields: toFields(rows.map((row) => readText(row['fieldName']) || readText(row['fieldLabel']))),
      },
    };
  },
};

const VERBS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const RESPOND: Readonly<Record<string, string>> = {
  onReceived: 'immediately',
  lastNode: 'at_end',
  responseNode: 'by_output',
};
const SIGN_IN: Readonly<Record<string, string>> = { none: 'none', basicAuth: 'basic', headerAuth: 'header' };

const webhook: Kind = {
  convert: (_, to) => {
    const { params } = to;
    const stored = params.get('httpMethod');
    const written = Array.isArray(stored)
      ? stored.map((method) => formatScalar(method))
      : [readText(stored) || 'GET'];
    const methods = written.filter((method) => VERBS.has(method));
    for (const method of written)
      if (!VERBS.has(method)) to.say(`The method "${method}" is not received here`, 'methods');
    params.get('multipleMethods');
    const path = params.text('path');
    if (path !== '') to.say(`The address is not "${path}" here; the node shows its own`);
    const authentication = params.text('authentication', 'none');
    const signIn = Object.hasOwn(SIGN_IN, authentication) ? SIGN_IN[authentication] : undefined;
    // Without a credential every call is refused, and a webhook that was protected stays so.
    if (signIn === undefined)
      to.say(
        `The authentication "${authentication}" has no equal here; callers have to send a header`,
        'authentication',
      );
    const mode = params.text('responseMode', 'onReceived');
    const respond = Object.hasOwn(RESPOND, mode) ? RESPOND[mode] : undefined;
    if (respond === undefined)
      to.say(`It answers at once here; the response mode "${mode}" has no equal`, 'respond');
    return {
      type: 'webhookTrigger',
      data: {
        methods: methods.length > 0 ? methods : ['GET'],
        authentication: signIn ?? 'header',
        respond: respond ?? 'immediately',
      },
    };
  },
};

/** Expressions of the units of n8n's schedule: minute, hour, day of month, month, day of week. */
function convertRule(rule: JsonObject, to: Target): JsonObject {
  const number = (key: string, fallback: number): number => {
    const value = Number(rule[key] ?? fallback);
    return Number.isInteger(value) && value >= 0 ? value : fallback;
  };
  const unit = readText(rule['field']) || 'days';
  const [minute, hour] = [number('triggerAtMinute', 0), number('triggerAtHour', 0)];
  const every = (key: string): number => Math.max(number(key, 1), 1);
  const cron = (cronExpression: string): JsonObject => ({ scheduleMode: 'cron', cronExpression });
  const interval = (intervalValue: number, intervalUnit: string): JsonObject => {
    const lost = ['days', 'weeks'].includes(intervalUnit) ? '; its time of day was left out' : '';
    to.say(`The interval is counted from midnight of 1970-01-01 in UTC here${lost}`, 'intervalValue');
    return { scheduleMode: 'interval', intervalValue, intervalUnit };
  };
  switch (unit) {
    case 'cronExpression':
      return cron(readText(rule['expression']).replace(/^=/, ''));
    case 'seconds':
      return interval(number('secondsInterval', 30) || 30, 'seconds');
    case 'minutes': {
      const count = number('minutesInterval', 5) || 5;
      return 60 % count === 0
        ? cron(`${count === 60 ? '0' : `*/${count}`} * * * *`)
        : interval(count, 'minutes');
    }
    case 'hours': {
      const count = every('hoursInterval');
      return 24 % count === 0
        ? cron(`${minute} ${count === 24 ? '0' : `*/${count}`} * * *`)
        : interval(count, 'hours');
    }
    case 'days':
      return every('daysInterval') === 1
        ? cron(`${minute} ${hour} * * *`)
        : interval(every('daysInterval'), 'days');
    case 'weeks': {
      if (every('weeksInterval') !== 1) return interval(every('weeksInterval'), 'weeks');
      const days = Array.isArray(rule['triggerAtDay']) ? rule['triggerAtDay'].map(String).join(',') : '0';
      return cron(`${minute} ${hour} * * ${days || '0'}`);
    }
    case 'months': {
      const count = every('monthsInterval');
      if (12 % count !== 0) throw new NotConvertible(`it repeats after ${count} months`);
      const months = count === 1 ? '*' : count === 12 ? '1' : `*/${count}`;
      return cron(`${minute} ${hour} ${number('triggerAtDayOfMonth', 1) || 1} ${months} *`);
    }
    default:
      throw new NotConvertible(`the schedule "${unit}" has no equal here`);
  }
}

const schedule: Kind = {
  view: () => ({ renamed: { timestamp: 'triggered_at' } }),
  convert: (_, to) => {
    const rules = to.params.rows('rule.interval');
    return convertSchedule(rules.length > 0 ? rules : [{ field: 'days' }], to);
  },
};

function convertSchedule(rules: readonly JsonObject[], to: Target): Converted {
  const converted = rules.map((rule) => convertRule(rule, to));
  const [first] = converted;
  if (first === undefined || converted.length === 1) return { type: 'cron', data: { ...first } };
  if (converted.some(({ scheduleMode }) => scheduleMode !== 'cron')) {
    throw new NotConvertible('it mixes intervals with times');
  }
  // Several rules are one expression per line.
  const lines = converted.map(({ cronExpression }) => formatScalar(cronExpression));
  return { type: 'cron', data: { scheduleMode: 'cron', cronExpression: lines.join('\n') } };
}

/** One time of the node before the schedule trigger, in the form of that one. */
function ruleOfTime(item: JsonObject): JsonObject {
  const [minute, hour] = [Number(item['minute'] ?? 0), Number(item['hour'] ?? 14)];
  const at = { triggerAtMinute: minute, triggerAtHour: hour };
  const mode = readText(item['mode']) || 'everyDay';
  const unit = formatScalar(item['unit'], 'hours');
  const count = Number(item['value'] ?? 2);
  if (mode === 'custom')
    return { field: 'cronExpression', expression: readText(item['cronExpression']).trim() };
  if (mode === 'everyMinute') return { field: 'minutes', minutesInterval: 1 };
  if (mode === 'everyHour') return { field: 'hours', hoursInterval: 1, triggerAtMinute: minute };
  if (mode === 'everyDay') return { field: 'days', ...at };
  if (mode === 'everyWeek')
    return { field: 'weeks', triggerAtDay: [formatScalar(item['weekday'], '1')], ...at };
  if (mode === 'everyMonth')
    return { field: 'months', triggerAtDayOfMonth: Number(item['dayOfMonth'] ?? 1), ...at };
  if (mode === 'everyX' && (unit === 'minutes' || unit === 'hours'))
    return { field: unit, [`${unit}Interval`]: count };
  throw new NotConvertible(`the schedule "${mode}" has no equal here`);
}

/** The node before the schedule trigger: `triggerTimes.item` with a mode. */
const cron: Kind = {
  view: schedule.view as NonNullable<Kind['view']>,
  convert: (_, to) => {
    const times = to.params.rows('triggerTimes.item');
    return convertSchedule((times.length > 0 ? times : [{}]).map(ruleOfTime), to);
  },
};

const interval: Kind = {
  view: schedule.view as NonNullable<Kind['view']>,
  convert: (_, to) => {
    const unit = to.params.text('unit', 'seconds');
    if (!['seconds', 'minutes', 'hours'].includes(unit)) throw new NotConvertible(`its unit is "${unit}"`);
    return convertSchedule([{ field: unit, [`${unit}Interval`]: to.params.number('interval', 1) }], to);
  },
};

/** n8n's names for the execution and the workflow that failed. */
const FAILED =
  'dict({"id": executionId, "lastNodeExecuted": ITEM.error.node_label, "error": dict({"message": ITEM.error.message})})';

const error: Kind = {
  view: () => ({
    made: {
      execution: (item) => FAILED.replaceAll('ITEM', item),
      workflow: () => 'dict({"name": workflowName})',
    },
  }),
  convert: (_, to) => {
    to.say('It starts after an error of this workflow here, and not of others');
    return { type: 'errorHandler', data: {} };
  },
};

const people = (field: string) => (item: string) =>
  `dict({"text": ${item}.email.${field}, "value": ${item}.email.${field}Addresses.map("dict(address=item.email, name=item.name)")})`;
const ofMail = (field: string) => (item: string) => `${item}.email.${field}`;

/** Fields of a mail as both triggers name them; that of Gmail has people as objects when it is not simple. */
const MAIL = {
  Subject: ofMail('subject'),
  subject: ofMail('subject'),
  From: ofMail('from'),
  To: ofMail('to'),
  snippet: ofMail('text'),
  text: ofMail('text'),
  textPlain: ofMail('text'),
  textAsHtml: ofMail('html'),
  html: ofMail('html'),
  textHtml: ofMail('html'),
  date: ofMail('date'),
  messageId: ofMail('messageId'),
  headers: ofMail('headers'),
  attachments: ofMail('attachments'),
};

/** Minutes of the first time at which a mailbox is looked at. */
function minutesBetween(to: Target): number {
  const [time = {}] = to.params.rows('pollTimes.item');
  to.params.get('pollTimes');
  const mode = formatScalar(time['mode'], 'everyMinute');
  const hours = formatScalar(time['unit'], 'hours') === 'hours' ? 60 : 1;
  const minutes = mode === 'everyX' ? Number(time['value'] ?? 2) * hours : mode === 'everyMinute' ? 1 : 60;
  return Math.min(Math.max(minutes || 1, 1), 24 * 60);
}

const gmail: Kind = {
  view: ({ parameters }) => ({
    made: parameters['simple'] === false ? { ...MAIL, from: people('from'), to: people('to') } : MAIL,
  }),
  convert: (_, to) => {
    for (const key of ['authentication', 'event', 'simple', 'maxResults']) to.params.get(key);
    to.say(
      'It reads the mailbox through IMAP here, and starts with every new mail; Google offers imap.gmail.com with an app password',
      'credentialId',
    );
    return { type: 'imapTrigger', data: { credentialId: '', pollIntervalMinutes: minutesBetween(to) } };
  },
};

const mailbox: Kind = {
  view: () => ({ made: { ...MAIL, from: ofMail('from'), to: ofMail('to') } }),
  convert: (_, to) => {
    for (const key of [
      'mailbox',
      'format',
      'downloadAttachments',
      'options.forceReconnect',
      'postProcessAction',
    ])
      to.params.get(key);
    to.say('Mails are not marked as read here, and every new one starts a run', 'credentialId');
    return { type: 'imapTrigger', data: { credentialId: '', pollIntervalMinutes: 1 } };
  },
};

/** Fields of an update are those of the platform, under `update` here. */
const telegram: Kind = {
  view: () => ({ first: '.update' }),
  convert: (_, to) => {
    const stored = to.params.get('updates');
    const kinds = Array.isArray(stored) ? stored.map((kind) => formatScalar(kind)) : [];
    if (kinds.length > 0 && !kinds.includes('*'))
      to.say(`It starts with every kind of update here, and not only: ${kinds.join(', ')}`);
    return { type: 'telegramTrigger', data: {} };
  },
};

/** The tools that it offers are a part of the conversion as a whole (`offered.ts`). */
const mcp: Kind = {
  convert: (_, to) => {
    const { params } = to;
    params.get('path');
    if (params.text('authentication', 'none') !== 'none') to.say('Clients sign in to the MCP server here');
    to.say(
      'MCP clients see this workflow as one tool: "tool" is the label of what it offers. Switch the workflow on at its MCP server',
    );
    return { type: 'textInput', data: { value: '', inputFields: [] } };
  },
};

export const triggers: Readonly<Record<string, Kind>> = {
  manualTrigger: manual,
  start: manual,
  executeWorkflowTrigger: called,
  chatTrigger: chat,
  manualChatTrigger: manualChat,
  mcpTrigger: mcp,
  formTrigger: form,
  webhook,
  scheduleTrigger: schedule,
  cron,
  interval,
  errorTrigger: error,
  telegramTrigger: telegram,
  gmailTrigger: gmail,
  emailReadImap: mailbox,
};
