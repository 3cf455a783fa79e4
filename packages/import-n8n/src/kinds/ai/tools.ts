import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import { readCalledWorkflow } from '../called-workflow.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';
import { http } from '../services/http.ts';
import { fixedJson } from './schema.ts';

/** A thought goes through a variable, which hands it back. */
const toolThink: Kind = {
  convert: (_, to) => {
    to.given.add('variableValue');
    return {
      type: 'variable',
      data: { variableName: 'thought', variableValue: '', variableType: 'string' },
    };
  },
};

/** Values that the model gives, besides those that are fixed. */
const toolWorkflow: Kind = {
  view: () => ({ first: '.outputs' }),
  convert: (node, to) => {
    const { params } = to;
    if (params.text('source', 'database') !== 'database')
      throw new NotConvertible('the workflow that it calls is a part of the node');
    for (const key of ['fields', 'responsePropertyName', 'jsonSchemaExample', 'inputSchema', 'schemaType'])
      params.get(key);
    const given = params.get('workflowInputs.value');
    params.get('workflowInputs');
    const fixed = isJsonObject(given ?? null) ? Object.entries(given as JsonObject) : [];
    const mappings = fixed.map(([key, value]) => ({ key, value: to.value(value, 'executeInputMappings') }));
    return {
      type: 'execute',
      data: {
        ...readCalledWorkflow(to),
        executeInputMappings: [
          ...mappings,
          ...buildQueries(to, node.version, params.flag('specifyInputSchema')),
        ],
        executeInput: '',
        executeDoNotWait: false,
      },
    };
  },
};

/** Before version 2 the model gives one text, `query`, or the values of a schema. */
function buildQueries(to: Target, version: number, hasSchema: boolean): { key: string; value: string }[] {
  if (version >= 2) return [];
  if (hasSchema) throw new NotConvertible('the model gives values by a schema');
  return [{ key: 'query', value: `$${to.fromAgent('query')}` }];
}

/** JavaScript whose values come from the model. */
const toolCode: Kind = {
  convert: (_, to) => {
    const { params } = to;
    if (params.text('language', 'javaScript') !== 'javaScript')
      throw new NotConvertible('its code is Python');
    const script = params.text('jsCode');
    if (/\$\w|\$\(|\bDateTime\b|\bthis\b|\brequire\b/.test(script))
      throw new NotConvertible('its code uses names of n8n');
    to.say('It needs a container engine; see the guide of Code', 'codeSource');
    const hasSchema = params.flag('specifyInputSchema');
    for (const key of ['schemaType', 'jsonSchemaExample', 'inputSchema']) params.get(key);
    const names = hasSchema ? listKeys(params.get('jsonSchemaExample')) : ['query'];
    if (names.length === 0) throw new NotConvertible('its schema is no example');
    const values = names.map((name): [string, Json] => [name, `$${to.fromAgent(name)}`]);
    const query = hasSchema ? 'const query = params;' : 'const { query } = params;';
    return {
      type: 'code',
      data: {
        codeLanguage: 'javascript',
        codeSource: `async function main(params) { ${query}\n${script}\n}\n`,
        codeParameters: JSON.stringify(Object.fromEntries(values)),
      },
    };
  },
};

function listKeys(stored: Json | undefined): string[] {
  const example = fixedJson(stored);
  return isJsonObject(example ?? null) ? Object.keys(example as JsonObject) : [];
}

/** Places such as `{city}` in the fields of a request, which the model fills in. */
const PLACE = /\{\s*(\w+)\s*\}/g;

interface Field {
  readonly name: string;
  readonly value: string;
}

/** A request with places for values becomes one of n8n's own with `$fromAI`, and is converted like it. */
const toolHttpRequest: Kind = {
  convert: (node, to) => {
    const { params } = to;
    const placed = (text: string): string => {
      if (!PLACE.test(text)) return text;
      const body = text.startsWith('=') ? text.slice(1) : text;
      return `=${body.replaceAll(PLACE, (_, name: string) => `{{ $fromAI(${JSON.stringify(name)}) }}`)}`;
    };
    const fields = (part: 'Query' | 'Headers' | 'Body'): Field[] =>
      params.rows(`parameters${part}.values`).map((row) => {
        const name = readText(row['name']);
        const isFixed = row['valueProvider'] === 'fieldValue';
        return {
          name,
          value: isFixed ? placed(readText(row['value'])) : `={{ $fromAI(${JSON.stringify(name)}) }}`,
        };
      });
    for (const part of ['Query', 'Headers', 'Body']) {
      if (params.text(`specify${part}`) === 'model')
        throw new NotConvertible('the model writes a part of the request as a whole');
      params.get(`parameters${part}`);
    }
    for (const key of ['placeholderDefinitions', 'optimizeResponse', 'responseType', 'dataField', 'fields'])
      if (params.get(key) === true) to.say('The answer is not shortened for the model here', 'curl');
    for (const key of [
      'fieldsToInclude',
      'cssSelector',
      'onlyContent',
      'elementsToOmit',
      'truncateResponse',
      'maxLength',
    ])
      params.get(key);
    const parameters: JsonObject = {
      ...node.parameters,
      url: placed(params.text('url')),
      queryParameters: { parameters: fields('Query').map((field) => ({ ...field })) },
      headerParameters: { parameters: fields('Headers').map((field) => ({ ...field })) },
      bodyParameters: { parameters: fields('Body').map((field) => ({ ...field })) },
      jsonQuery: placed(params.text('jsonQuery')),
      jsonHeaders: placed(params.text('jsonHeaders')),
      jsonBody: placed(params.text('jsonBody')),
    };
    for (const key of Object.keys(parameters)) params.get(key);
    const inner = to.with(parameters);
    const converted = http.convert({ ...node, parameters, version: 4.2 }, inner);
    for (const path of inner.params.unread())
      to.say(`The setting "${path}" has no equal here and was left out`);
    return converted;
  },
};

export const tools: Readonly<Record<string, Kind>> = { toolThink, toolWorkflow, toolCode, toolHttpRequest };
