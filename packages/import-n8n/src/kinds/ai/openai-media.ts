import { isJsonObject, type JsonObject, readText } from '@millrace/engine';
import type { SourceNode } from '../../source/source.ts';
import type { View } from '../../views/views.ts';
import { ANSWER, type FileCodes, fileName, viewOfFile } from '../data/file-codes.ts';
import type { Kind, Target } from '../kind.ts';
import { fileField, textField } from '../services/http.ts';
import { needed, restService, type ServiceOperation, setIn } from '../services/request.ts';

const OPENAI = 'https://api.openai.com/v1';

const optionsIn = ({ parameters }: SourceNode): JsonObject => {
  const stored = parameters['options'];
  return isJsonObject(stored) ? stored : {};
};
const outputName = (node: SourceNode): string => fileName(optionsIn(node)['binaryPropertyOutput']);

const transcribe: ServiceOperation = {
  request: (to) => {
    const { params } = to;
    const language = params.text('options.language');
    const temperature = params.get('options.temperature');
    return {
      method: 'POST',
      url: `${OPENAI}/audio/transcriptions`,
      parts: [
        textField(to, 'model', 'whisper-1'),
        ...(language === '' ? [] : [textField(to, 'language', language)]),
        ...(temperature === undefined || temperature === 0
          ? []
          : [textField(to, 'temperature', temperature)]),
        fileField(to, 'file', { name: fileName(params.get('binaryPropertyName')) }),
      ],
    };
  },
};

const SPEECH = 'audio.';
const speak: ServiceOperation = {
  view: (node) => {
    const format = readText(optionsIn(node)['response_format']) || 'mp3';
    const codes: FileCodes = {
      ...ANSWER,
      name: () => JSON.stringify(`${SPEECH}${format}`),
      type: () => JSON.stringify(`audio/${format}`),
    };
    return { made: viewOfFile(outputName(node), codes) };
  },
  ignores: ['options.binaryPropertyOutput'],
  request: (to) => {
    const { params } = to;
    return {
      method: 'POST',
      url: `${OPENAI}/audio/speech`,
      isFile: true,
      json: {
        model: params.text('model', 'tts-1'),
        input: needed(to, 'input'),
        voice: params.text('voice', 'alloy'),
        response_format: params.text('options.response_format', 'mp3'),
        speed: params.get('options.speed') ?? 1,
      },
    };
  },
};

const PICTURE: FileCodes = {
  base64: (item) => `${item}.b64_json`,
  text: (item) => `${item}.b64_json.base64Decode()`,
  name: () => JSON.stringify('data'),
  type: () => JSON.stringify('image/png'),
};

const imageModel = ({ params }: Target): string =>
  params.text('modelId') || params.text('model') || 'dall-e-3';

const paint: ServiceOperation = {
  view: (node): View => {
    const list = { first: '.body.data[0]', list: '.body.data' };
    return optionsIn(node)['returnImageUrls'] === true
      ? list
      : { ...list, made: viewOfFile(outputName(node), PICTURE) };
  },
  ignores: ['options.binaryPropertyOutput', 'model'],
  request: (to) => {
    const { params } = to;
    const model = imageModel(to);
    const format = params.flag('options.returnImageUrls') ? 'url' : 'b64_json';
    const quality = params.text('options.dalleQuality');
    return {
      method: 'POST',
      url: `${OPENAI}/images/generations`,
      json: {
        prompt: needed(to, 'prompt'),
        model,
        ...(model.startsWith('gpt-image') ? {} : { response_format: format }),
        ...(quality === '' ? {} : { quality }),
        ...setIn(params, 'options', { n: 'n', quality: 'quality', size: 'size', style: 'style' }),
      },
    };
  },
};

/** Files that models of OpenAI read or make. */
const media = restService({
  name: 'OpenAI',
  signIn: { credential: 'openai' },
  usual: { resource: 'image', operation: 'generate' },
  operations: { 'audio.transcribe': transcribe, 'audio.generate': speak, 'image.generate': paint },
});

const WITH_FILES: ReadonlySet<string> = new Set(['audio.transcribe', 'audio.generate', 'image.generate']);

/** The kind with the operations that read or make files; others are those of messages. */
export const withMedia = (messages: Kind): Kind => {
  const choose = ({ parameters }: SourceNode): Kind => {
    const resource = readText(parameters['resource']);
    const operation = readText(parameters['operation']) || 'generate';
    return WITH_FILES.has(`${resource}.${operation}`) ? media : messages;
  };
  return {
    ...messages,
    view: (node, output, context) => choose(node).view?.(node, output, context) ?? {},
    convert: (node, to) => choose(node).convert(node, to),
  };
};
