import { readText } from '@millrace/engine';
import { toAccessCode } from '../../expression/access-code.ts';
import { renamedFields } from '../../expression/extensions/lists.ts';
import { access, textConstant } from '../../expression/value.ts';
import { Params } from '../../source/params.ts';
import { formatScalar, type SourceNode } from '../../source/source.ts';
import type { View } from '../../views/views.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';
import { dateTime } from './date-time.ts';

interface Wanted {
  readonly name: string;
  readonly selector: string;
  /** `text`, or the attribute to read. */
  readonly attribute: string;
  readonly isList: boolean;
}

function wantedBy({ parameters }: SourceNode): Wanted[] {
  return new Params(parameters).rows('extractionValues.values').flatMap((row) => {
    const name = readText(row['key']);
    const what = formatScalar(row['returnValue'], 'text');
    const attribute =
      what === 'attribute' ? readText(row['attribute']) : what === 'html' ? 'innerHTML' : what;
    const selector = readText(row['cssSelector']);
    return name === '' || selector === ''
      ? []
      : [{ name, selector, attribute, isList: row['returnArray'] === true }];
  });
}

/** A text with single spaces in it: n8n has no element boundaries in it, and this node has each on a line. */
const onOneLine = (text: string): string => `${text}.regexReplace("\\\\s+", " ").trim()`;

/** From 1.2 on, n8n reads the text of the first element, empty where there is none; before, those of all as one. */
function readBy({ name, attribute, isList }: Wanted, version: number): (found: string) => string {
  return (extracted) => {
    const found = `${extracted}${access(name)}`;
    if (attribute !== 'text') {
      const key = access(attribute);
      return isList ? `${found}.map(${JSON.stringify(`item${key}`)})` : `${found}[0]${key}`;
    }
    const texts = `${found}.map(${JSON.stringify(onOneLine('item.text'))})`;
    if (isList) return texts;
    return version < 1.2 ? `${texts}.join("")` : `(${texts}[0] ?? "")`;
  };
}

/** The node behind it that has the fields. */
const FIELDS = 'Fields';

const readOperation = ({ parameters }: SourceNode): string =>
  formatScalar(parameters['operation'], 'generateHtmlTemplate');

function extraction(to: Target, node: SourceNode) {
  const { params } = to;
  if (params.text('sourceData', 'json') !== 'json') throw new NotConvertible('it reads a file');
  const wanted = wantedBy(node);
  if (wanted.length === 0) throw new NotConvertible('it does not say what to extract');
  const rows = params.rows('extractionValues.values');
  params.get('extractionValues');
  if (rows.some((row) => readText(row['skipSelectors']) !== ''))
    to.say('Texts of the elements to skip are in the result here', 'selectors');
  for (const key of ['trimValues', 'cleanUpText']) params.get(`options.${key}`);
  if (wanted.some(({ attribute }) => attribute === 'text'))
    to.say('Texts of elements are on one line here, without the addresses of links in them', 'selectors');
  const selectors = wanted.map(({ name, selector, attribute }) => ({
    name,
    selector,
    attributes: attribute === 'text' ? [] : [attribute],
  }));
  const field = params.text('dataPropertyName', 'data');
  const mappings = wanted.map((one) => ({
    key: one.name,
    value: `$${readBy(one, node.version)(`${to.stepLabel('')}.extracted`)}`,
  }));
  return {
    type: 'htmlExtract',
    // Results of rounds are put together where they are read.
    ...(!to.context.getsList() && { after: [{ suffix: FIELDS, type: 'set', data: { mappings } }] }),
    data: {
      html: to.template(`={{ $json${toAccessCode(field)} }}`, 'html'),
      selectors: JSON.stringify(selectors),
    },
  };
}

const html: Kind = {
  view: (node, _, context): View => {
    if (readOperation(node) !== 'extractHtmlContent') return {};
    if (!context.getsList()) return { step: FIELDS };
    const made = wantedBy(node).map((wanted) => {
      const read = readBy(wanted, node.version);
      return [wanted.name, (item: string) => read(`${item}.extracted`)] as const;
    });
    return { made: Object.fromEntries(made), isOnlyMade: true };
  },
  convert: (node, to) => {
    to.params.get('operation');
    const operation = readOperation(node);
    if (operation === 'extractHtmlContent') return extraction(to, node);
    if (operation !== 'generateHtmlTemplate') throw new NotConvertible('it makes a table of items');
    const value = to.value(`=${to.params.text('html').replace(/^=/, '')}`, 'mappings');
    return { type: 'set', data: { mappings: [{ key: 'html', value }] } };
  },
};

/** A node that adds one field to its data. */
const addsField =
  (key: string, usual: string, made: string) =>
  ({ parameters }: SourceNode): View => {
    const name = formatScalar(parameters[key], usual);
    return { adds: [name], renamed: { [name]: made } };
  };

const markdown: Kind = {
  view: addsField('destinationKey', 'data', 'result'),
  convert: (_, to) => {
    const { params } = to;
    if (params.text('mode', 'htmlToMarkdown') !== 'markdownToHtml')
      throw new NotConvertible('HTML is not converted to Markdown here');
    params.get('destinationKey');
    const source = to.value(params.get('markdown'), 'source');
    return { type: 'converter', data: { conversion: 'markdownToHtml', source } };
  },
};

const xml: Kind = {
  view: () => ({ first: '.result' }),
  convert: (_, to) => {
    const { params } = to;
    if (params.text('mode', 'xmlToJson') !== 'xmlToJson') throw new NotConvertible('it writes XML');
    const field = params.text('dataPropertyName', 'data');
    to.say('Attributes and repeated elements may have other places in the result here', 'source');
    return {
      type: 'converter',
      data: { conversion: 'xmlToJson', source: to.value(`={{ $json${toAccessCode(field)} }}`, 'source') },
    };
  },
};

/** Names of fields themselves, each with its new name; what has none, or the same, is passed over as in n8n. */
function readRenames({ params }: Target): string[] {
  const rows = params.rows('keys.key').flatMap((row) => {
    const [from, into] = [readText(row['currentKey']), readText(row['newKey'])];
    return from === '' || into === '' || from === into ? [] : [{ from, into }];
  });
  for (const [index, { from, into }] of rows.entries()) {
    if ([from, into].some((name) => name.startsWith('=') || /[.[]/.test(name)))
      throw new NotConvertible('a field that it renames is inside of another one, or an expression');
    if (rows.slice(index + 1).some((later) => later.from === into || later.from === from))
      throw new NotConvertible('it renames a field twice');
  }
  return rows.flatMap(({ from, into }) => [textConstant(from).code, textConstant(into).code]);
}

const renameKeys: Kind = {
  takesList: true,
  staysEmpty: true,
  view: () => ({ first: '.items[0]', list: '.items', isPaired: true }),
  convert: (_, to) => {
    const names = readRenames(to);
    to.params.get('keys');
    if (to.params.rows('additionalOptions.regexReplacement.replacements').length > 0)
      throw new NotConvertible('it renames fields by patterns');
    to.params.get('additionalOptions');
    const value = `$${renamedFields(to.listCode(), names)}`;
    return { type: 'set', data: { mappings: [{ key: 'items', value }] } };
  },
};

export const transforms: Readonly<Record<string, Kind>> = { html, markdown, xml, dateTime, renameKeys };
