import { type Comment, parseSync, Visitor } from 'oxc-parser';
import type { Violation } from './rules.ts';

/** Names that the language or the standard library gives, and those of schemas. */
const GIVEN = new Set(['indexOf', 'lastIndexOf', 'valueOf', 'oneOf', 'anyOf', 'allOf']);
const NOUN = /[a-z]Of$/;
const BEGINS_WITH_WHAT = /^What\b/;

interface Named {
  readonly type: string;
  readonly name?: string;
}

const isNoun = (node: Named): node is Named & { name: string } =>
  (node.type === 'Identifier' || node.type === 'PrivateIdentifier') &&
  node.name !== undefined &&
  NOUN.test(node.name) &&
  !GIVEN.has(node.name);

const isFunction = ({ type }: { type: string }) =>
  type === 'ArrowFunctionExpression' || type === 'FunctionExpression';

/** Names of the functions that a source declares and that are no verbs. */
function listNouns(program: Parameters<Visitor['visit']>[0]): string[] {
  const found: string[] = [];
  const add = (node: Named | null) => {
    if (node && isNoun(node)) found.push(node.name);
  };
  new Visitor({
    FunctionDeclaration: ({ id }) => add(id),
    VariableDeclarator: ({ id, init }) => init && isFunction(init) && add(id),
    MethodDefinition: ({ key }) => add(key as Named),
    TSMethodSignature: ({ key }) => add(key as Named),
    Property: ({ key, value }) => isFunction(value) && add(key as Named),
    TSPropertySignature: ({ key, typeAnnotation }) =>
      typeAnnotation?.typeAnnotation.type === 'TSFunctionType' && add(key as Named),
  }).visit(program);
  return found;
}

/** Comments but those that are the next line of the one before. */
function listComments(text: string, comments: readonly Comment[]): string[] {
  return comments
    .filter(({ type, start }, at) => {
      const before = comments[at - 1];
      const goesOn = before?.type === 'Line' && /^\r?\n[ \t]*$/.test(text.slice(before.end, start));
      return !(type === 'Line' && goesOn);
    })
    .map(({ value }) => value.replace(/^[\s*]+/, ''));
}

/** Functions are verbs, and comments begin with the thing or with the reason. */
export function checkWords(sources: readonly { path: string; text: string }[]): Violation[] {
  return sources.flatMap(({ path, text }) => {
    const { program, comments } = parseSync(path, text);
    return [
      ...listNouns(program).map((name) => ({
        rule: 'functions-are-verbs',
        path,
        message: `declares ${name}. Name a function by what it does: readText, toRow, findPlace.`,
      })),
      ...listComments(text, comments)
        .filter((comment) => BEGINS_WITH_WHAT.test(comment))
        .map((comment) => ({
          rule: 'comments-name-the-thing',
          path,
          message: `has a comment that begins with "${comment.slice(0, 40)}". Begin with the thing or the reason.`,
        })),
    ];
  });
}
