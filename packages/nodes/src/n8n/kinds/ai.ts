import type { JsonObject } from '@millrace/engine';
import { type Kind, NotConvertible, type Target } from '../kind.ts';
import { Params } from '../params.ts';
import { type SourceNode, textOf } from '../source.ts';

/** Parts of agents that hold a model: what they have becomes a part of the agent or the chain. */
export const isModel = ({ type }: SourceNode): boolean => /^lmChat|^lm[A-Z]/.test(type);

/** Settings that a node gets from the model that is a part of it; `lost` is called with those without an equal. */
export function modelSettings({ parameters }: SourceNode, lost: (setting: string) => void): JsonObject {
  const params = new Params(parameters);
  const name = params.text('model') || params.text('modelName') || params.text('modelId');
  const settings: JsonObject = {};
  if (name !== '') settings['model'] = name.replace(/^=/, '').replace(/^models\//, '');
  const temperature = params.number('options.temperature', Number.NaN);
  if (temperature >= 0 && temperature <= 2) settings['temperature'] = temperature;
  const most = ['maxTokens', 'maxTokensToSample', 'maxOutputTokens'].map((key) =>
    params.number(`options.${key}`, 0),
  );
  if (Math.max(...most) > 0) settings['maxTokens'] = Math.max(...most);
  for (const path of params.unread()) lost(path);
  return settings;
}

/** What is asked: the words of the chat before the node, or a text of its own. */
function question(to: Target): string {
  const { params } = to;
  const written = params.text('text') || params.text('prompt');
  params.get('promptType');
  if (written === '') return to.template('={{ $json.chatInput }}', 'userMessage');
  return to.template(written, 'userMessage');
}

const agent: Kind = {
  view: () => ({ renamed: { output: 'text' } }),
  convert: (_, to) => {
    const { params } = to;
    params.get('agent');
    const system = params.text('options.systemMessage');
    const data: JsonObject = {
      userMessage: question(to),
      systemInstruction: to.template(system, 'systemInstruction'),
    };
    const most = params.number('options.maxIterations', 10);
    return { type: 'agent', data: { ...data, maxToolIterations: Math.min(Math.max(most, 1), 1000) } };
  },
};

const chainLlm: Kind = {
  convert: (_, to) => {
    const messages = to.params.rows('messages.messageValues');
    to.params.get('messages');
    const system = messages.find(({ type }) => type === undefined || type === 'SystemMessagePromptTemplate');
    if (messages.length > (system === undefined ? 0 : 1)) {
      to.say(
        'Only the system message was taken over; messages of examples have no place here',
        'systemInstruction',
      );
    }
    const instruction = to.template(textOf(system?.['message']), 'systemInstruction');
    return { type: 'llm', data: { userMessage: question(to), systemInstruction: instruction } };
  },
};

/** The node of OpenAI in its versions: `modelId` with `messages.values`, `model` with `prompt.messages`. */
const openAi: Kind = {
  view: () => ({ renamed: { message: 'text', content: 'text' } }),
  convert: (_, to) => {
    const { params } = to;
    const resource = params.text('resource', 'text');
    const operation = params.text('operation', 'message');
    if (!['text', 'chat'].includes(resource) || !['message', 'complete', 'response'].includes(operation)) {
      throw new NotConvertible(`the operation "${resource}: ${operation}" has no equal here`);
    }
    const messages = ['messages.values', 'prompt.messages', 'responses.values'].flatMap((path) =>
      params.rows(path),
    );
    for (const key of ['messages', 'prompt', 'responses', 'simplify']) params.get(key);
    const said = (role: string) => messages.filter((message) => (textOf(message['role']) || 'user') === role);
    if (said('assistant').length > 0 || said('user').length > 1 || said('system').length > 1) {
      throw new NotConvertible('it sends several messages');
    }
    const text = (role: string, field: string) => to.template(textOf(said(role)[0]?.['content']), field);
    // Before it had messages, the node had one text.
    const prompt = params.text('prompt');
    if (params.flag('jsonOutput'))
      to.say('The answer is read as JSON; its fields are those of the output', 'jsonOutputEnabled');
    const temperature = params.number('options.temperature', Number.NaN);
    const most = params.number('options.maxTokens', Number.NaN);
    return {
      type: 'llm',
      data: {
        model: params.text('modelId') || params.text('model') || params.text('chatModel'),
        systemInstruction: text('system', 'systemInstruction'),
        userMessage: prompt === '' ? text('user', 'userMessage') : to.template(prompt, 'userMessage'),
        jsonOutputEnabled: params.flag('jsonOutput'),
        ...(Number.isNaN(temperature) ? {} : { temperature }),
        ...(Number.isNaN(most) ? {} : { maxTokens: most }),
      },
    };
  },
};

export const ai: Readonly<Record<string, Kind>> = { agent, chainLlm, openAi };
