import { type Kind, NotConvertible, type Target } from '../kind.ts';

/** Names of n8n that code here has, too. */
const KNOWN = new Set(['$input', '$json']);
/** What code of n8n may use and code here does not have, or has with another meaning. */
const FOREIGN = /\b(?:this|DateTime|Luxon|require|import|binary|helpers)\b/;
/** Of `$input`: what the first line below defines. */
const INPUT = /\$input(?!\.(?:all|first|last)\(\s*\)|\.item\b)/;

/** Items in the form that code of n8n expects, in the first line so that the lines of errors stay nearly the same. */
const ITEMS =
  'const items = values.map((json) => ({ json })); const $json = (items[0] ?? {}).json; ' +
  'const $input = { all: () => items, first: () => items[0], last: () => items[items.length - 1], item: items[0] };';

/** A script without its texts and comments, for looking at names. */
const bare = (script: string): string =>
  script.replaceAll(/\/\*[^]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, ' ');

function requireSound(script: string): void {
  const code = bare(script);
  const name = [...code.matchAll(/\$[A-Za-z_]\w*|\$(?=\()/g)].find(([found]) => !KNOWN.has(found))?.[0];
  if (name !== undefined) throw new NotConvertible(`its code uses ${name}`);
  const [foreign] = FOREIGN.exec(code) ?? [];
  if (foreign !== undefined) throw new NotConvertible(`its code uses "${foreign}"`);
  if (INPUT.test(code)) throw new NotConvertible('its code uses more of $input than its items');
}

/** Code for all items becomes the function of a Code node: the list comes in, and the list that it returns goes out. */
const scripted = (key: string): Kind => ({
  takesList: true,
  view: () => ({ first: '.result[0]', list: '.result' }),
  convert: (_, to: Target) => {
    const { params } = to;
    if (params.text('language', 'javaScript') !== 'javaScript')
      throw new NotConvertible('its code is Python');
    if (params.text('mode', 'runOnceForAllItems') !== 'runOnceForAllItems') {
      throw new NotConvertible('its code runs once for each item');
    }
    const script = params.text(key);
    requireSound(script);
    to.say('It needs a container engine; see the guide of Code', 'codeSource');
    const codeSource = `async function main({ items: values }) { ${ITEMS}
const returned = await (async () => {
${script}
})();
return [returned ?? []].flat().map((item) => item.json ?? item); }
`;
    return {
      type: 'code',
      data: {
        codeLanguage: 'javascript',
        codeSource,
        codeParameters: JSON.stringify({ items: to.list() }),
      },
    };
  },
});

export const code: Readonly<Record<string, Kind>> = {
  code: scripted('jsCode'),
  function: scripted('functionCode'),
};
