import type { JsonObject } from '@millrace/engine';
import { type Kind, NotConvertible, type Target } from '../kind.ts';
import { textOf, wordOf } from '../source.ts';

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
      data: { value: '', inputFields: fieldsOf(rows.map(({ name }) => textOf(name))) },
    };
  },
};

const fieldsOf = (names: readonly string[]): JsonObject[] =>
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
      data: { value: '', inputFields: fieldsOf(rows.map((row) => textOf(row['fieldLabel']))) },
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
      ? stored.map((method) => wordOf(method))
      : [textOf(stored) || 'GET'];
    const methods = written.filter((method) => VERBS.has(method));
    for (const method of written)
      if (!VERBS.has(method)) to.say(`The method "${method}" is not received here`, 'methods');
    params.get('multipleMethods');
    const path = params.text('path');
    if (path !== '') to.say(`The address is not "${path}" here; the node shows its own`);
    const authentication = params.text('authentication', 'none');
    const signIn = Object.hasOwn(SIGN_IN, authentication) ? SIGN_IN[authentication] : undefined;
    if (signIn === undefined)
      to.say(`The authentication "${authentication}" has no equal here`, 'authentication');
    const mode = params.text('responseMode', 'onReceived');
    const respond = Object.hasOwn(RESPOND, mode) ? RESPOND[mode] : undefined;
    if (respond === undefined)
      to.say(`It answers at once here; the response mode "${mode}" has no equal`, 'respond');
    return {
      type: 'webhookTrigger',
      data: {
        methods: methods.length > 0 ? methods : ['GET'],
        authentication: signIn ?? 'none',
        respond: respond ?? 'immediately',
      },
    };
  },
};

/** Expressions of the units of n8n's schedule: minute, hour, day of month, month, day of week. */
function ruleOf(rule: JsonObject, to: Target): JsonObject {
  const number = (key: string, fallback: number): number => {
    const value = Number(rule[key] ?? fallback);
    return Number.isInteger(value) && value >= 0 ? value : fallback;
  };
  const unit = textOf(rule['field']) || 'days';
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
      return cron(textOf(rule['expression']).replace(/^=/, ''));
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
    const converted = (rules.length > 0 ? rules : [{ field: 'days' }]).map((rule) => ruleOf(rule, to));
    const [first] = converted;
    if (first === undefined || converted.length === 1) return { type: 'cron', data: { ...first } };
    if (converted.some(({ scheduleMode }) => scheduleMode !== 'cron')) {
      throw new NotConvertible('it mixes intervals with times');
    }
    // Several rules are one expression per line.
    const lines = converted.map(({ cronExpression }) => wordOf(cronExpression));
    return { type: 'cron', data: { scheduleMode: 'cron', cronExpression: lines.join('\n') } };
  },
};

/** The node before the schedule trigger: `triggerTimes.item` with a mode. */
const cron: Kind = {
  view: schedule.view as NonNullable<Kind['view']>,
  convert: (_, { params }) => {
    const lines = params.rows('triggerTimes.item').map((item) => {
      const [minute, hour] = [Number(item['minute'] ?? 0), Number(item['hour'] ?? 14)];
      const mode = textOf(item['mode']) || 'everyDay';
      if (mode === 'custom') return textOf(item['cronExpression']).trim();
      if (mode === 'everyMinute') return '* * * * *';
      if (mode === 'everyHour') return `${minute} * * * *`;
      if (mode === 'everyDay') return `${minute} ${hour} * * *`;
      if (mode === 'everyWeek') return `${minute} ${hour} * * ${wordOf(item['weekday'], '1')}`;
      if (mode === 'everyMonth') return `${minute} ${hour} ${wordOf(item['dayOfMonth'], '1')} * *`;
      const unit = wordOf(item['unit'], 'hours');
      if (mode === 'everyX' && unit === 'minutes') return `*/${Number(item['value'] ?? 2)} * * * *`;
      if (mode === 'everyX' && unit === 'hours') return `0 */${Number(item['value'] ?? 2)} * * *`;
      throw new NotConvertible(`the schedule "${mode}" has no equal here`);
    });
    return { type: 'cron', data: { scheduleMode: 'cron', cronExpression: lines.join('\n') || '0 14 * * *' } };
  },
};

const interval: Kind = {
  view: schedule.view as NonNullable<Kind['view']>,
  convert: (_, { params }) => {
    const unit = params.text('unit', 'seconds');
    if (!['seconds', 'minutes', 'hours'].includes(unit)) throw new NotConvertible(`its unit is "${unit}"`);
    return {
      type: 'cron',
      data: { scheduleMode: 'interval', intervalValue: params.number('interval', 1), intervalUnit: unit },
    };
  },
};

const error: Kind = {
  convert: (_, to) => {
    to.say('It starts after an error of this workflow here; expressions read $error.message and others');
    return { type: 'errorHandler', data: {} };
  },
};

/** Fields of an update are those of the platform, under `update` here. */
const telegram: Kind = {
  view: () => ({ first: '.update' }),
  convert: (_, to) => {
    const stored = to.params.get('updates');
    const kinds = Array.isArray(stored) ? stored.map((kind) => wordOf(kind)) : [];
    if (kinds.length > 0 && !kinds.includes('*'))
      to.say(`It starts with every kind of update here, and not only: ${kinds.join(', ')}`);
    return { type: 'telegramTrigger', data: {} };
  },
};

export const triggers: Readonly<Record<string, Kind>> = {
  manualTrigger: manual,
  start: manual,
  executeWorkflowTrigger: called,
  chatTrigger: chat,
  manualChatTrigger: manualChat,
  formTrigger: form,
  webhook,
  scheduleTrigger: schedule,
  cron,
  interval,
  errorTrigger: error,
  telegramTrigger: telegram,
};
