/** Operators of JavaScript and those of the expression language. */
export const COMPARE: Readonly<Record<string, string>> = {
  '===': '==',
  '==': '==',
  '!==': '!=',
  '!=': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  in: 'in',
};
export const ARITHMETIC = new Set(['-', '*', '/', '%', '**']);
export const LOGICAL: Readonly<Record<string, string>> = { '&&': 'and', '||': 'or', '??': '??' };
