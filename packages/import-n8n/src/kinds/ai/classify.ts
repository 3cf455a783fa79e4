import { type JsonObject, readText } from '@millrace/engine';
import { Params } from '../../source/params.ts';
import type { SourceNode } from '../../source/source.ts';
import { PASSES_ON, type View } from '../../views/views.ts';
import { type Converted, type Kind, NotConvertible, type Target } from '../kind.ts';

interface Category {
  readonly name: string;
  readonly description: string;
}

/** The category for everything that fits none of the others, when the form has an output for it. */
const OTHER = 'other';

function readCategories({ parameters }: SourceNode): Category[] {
  const rows = new Params(parameters).rows('categories.categories');
  return rows.map((row) => ({ name: readText(row['category']), description: readText(row['description']) }));
}

const hasOther = ({ parameters }: SourceNode): boolean =>
  new Params(parameters).text('options.fallback', 'discard') === OTHER;

/** A model names one of the categories, and the branch after it is that of the category. */
function chosen(to: Target, { names, texts }: { names: readonly string[]; texts: JsonObject }): Converted {
  const schema = {
    type: 'object',
    properties: { category: { type: 'string', enum: [...names] } },
    required: ['category'],
  };
  return {
    type: 'llm',
    data: {
      ...texts,
      conversationHistoryEnabled: false,
      jsonOutputEnabled: true,
      jsonOutputSchema: JSON.stringify(schema),
    },
    after: [
      {
        suffix: 'Branch',
        type: 'switch',
        data: { expression: `$${to.stepLabel('')}.category`, cases: [...names] },
      },
    ],
  };
}

/** Categories without a name have no branch. */
const branch = (count: number, index: number): string | null => (index < count ? `case-${index}` : null);

const textClassifier: Kind = {
  takes: ['ai_languageModel'],
  view: () => PASSES_ON,
  output: (node, index) => branch(readCategories(node).length + (hasOther(node) ? 1 : 0), index),
  convert: (node, to) => {
    const { params } = to;
    const categories = readCategories(node);
    for (const key of ['categories', 'options.fallback', 'options.enableAutoFixing']) params.get(key);
    if (params.flag('options.multiClass')) throw new NotConvertible('it may choose several branches');
    const names = [...categories.map(({ name }) => name), ...(hasOther(node) ? [OTHER] : [])];
    const lines = categories.map(({ name, description }) => `- ${name}${description && `: ${description}`}`);
    const usual = 'Say which one of these categories the text of the user belongs to.';
    const written = params.text('options.systemPromptTemplate').replace(/\{categories\}/g, names.join(', '));
    const system = written || usual;
    const rule = hasOther(node) ? `\nIf none of the categories fits, the category is "${OTHER}".` : '';
    const systemInstruction = `${to.template(system, 'systemInstruction')}\n${lines.join('\n')}${rule}`;
    const userMessage = to.template(params.text('inputText'), 'userMessage');
    return chosen(to, { names, texts: { systemInstruction, userMessage } });
  },
};

const SENTIMENTS = 'Positive, Neutral, Negative';
const listSentiments = ({ parameters }: SourceNode): string[] =>
  new Params(parameters)
    .text('options.categories', SENTIMENTS)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const sentimentView: View = {
  adds: ['sentimentAnalysis'],
  made: { sentimentAnalysis: (item) => `dict({"category": ${item}.category})` },
};

const sentimentAnalysis: Kind = {
  takes: ['ai_languageModel'],
  view: () => sentimentView,
  output: (node, index) => branch(listSentiments(node).length, index),
  convert: (node, to) => {
    const { params } = to;
    for (const key of ['options.categories', 'options.enableAutoFixing']) params.get(key);
    if (params.flag('options.includeDetailedResults'))
      to.say('Strength and confidence are not asked for here', 'jsonOutputSchema');
    const names = listSentiments(node);
    const usual = 'Say which sentiment the text of the user has.';
    const written = params.text('options.systemPromptTemplate').replace(/\{categories\}/g, names.join(', '));
    const systemInstruction = to.template(written || usual, 'systemInstruction');
    const userMessage = to.template(params.text('inputText'), 'userMessage');
    return chosen(to, { names, texts: { systemInstruction, userMessage } });
  },
};

export const classify: Readonly<Record<string, Kind>> = { textClassifier, sentimentAnalysis };
