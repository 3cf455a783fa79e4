import { type Code, chain, enclosed, other, textConstant } from '../../expression/value.ts';

/** A type that n8n gives to the value of an expression. */
export type Conversion = 'boolean' | 'json' | 'number' | 'numberOrSame' | 'parsed' | 'text' | 'truth';

/** The value of an expression as n8n converts it; nothing stays nothing. */
export function toTypedCode(code: Code, becomes: Conversion | undefined): Code {
  switch (becomes) {
    case 'number':
      return code.value === 'number' ? code : chain(`toNumber(${code.code})`, 'number');
    case 'numberOrSame':
      return code.value === 'number' ? code : other(`toNumber(${code.code}) ?? ${enclosed(code)}`);
    case 'truth':
      return isComparison(code) ? code : chain(`bool(${code.code})`);
    case 'json':
      return chain(`toJson(${code.code})`);
    case 'parsed':
      return toParsedCode(code);
    case 'text':
      return toTextCode(code);
    case 'boolean':
      return isComparison(code) ? code : toTruthCode(code);
    default:
      return code;
  }
}

function toTextCode(code: Code): Code {
  if (code.value === 'text' || code.code === 'null') return code;
  if (code.form === 'constant') return textConstant(code.code);
  return chain(`${enclosed(code)}.toString()`, 'text');
}

/** A text as the JSON that it is; anything else as it is. */
function toParsedCode(code: Code): Code {
  if (code.value === 'text') return chain(`toJson(${code.code})`);
  // Code that begins so has a list or an object in any case.
  if (code.value !== undefined || /^[[{]/.test(code.code) || code.code === 'null') return code;
  return other(`type(${code.code}) == "string" ? toJson(${code.code}) : ${enclosed(code)}`);
}

/** Words and digits that n8n reads as a truth value; anything else stays as it is. */
function toTruthCode(from: Code): Code {
  const code = enclosed(from);
  return other(
    `{"true": true, "false": false, "1": true, "0": false}[concat(${code}).toLowerCase()] ?? ${code}`,
  );
}

/** Whether code is one comparison, whose value is true or false already. */
function isComparison({ code }: Code): boolean {
  let rest = code.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replaceAll(/[([][^()[\]]*[)\]]/g, '');
  }
  return /\s(?:[=!]=|[<>]=?)\s/.test(rest) && !/\?|\b(?:and|or)\b/.test(rest);
}

/** Code that has no value for some data, such as a product of texts, where an item has no number. */
const MAY_FAIL = / (?:[-+*/<>]|\*\*|[<>]=) |\b(?:remainder|toJson)\(/;

/** Such a field is null on its own: in an object it would leave nothing of the whole item. */
export const keepApart = (code: string): string =>
  MAY_FAIL.test(code) ? `[item].map(${JSON.stringify(code)})[0]` : code;
