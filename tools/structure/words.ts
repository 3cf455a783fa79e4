import { type Comment, parseSync, Visitor } from 'oxc-parser';
import type { Violation } from './rules.ts';

/** Methods that the language has, and keywords of JSON Schema. */
const GIVEN = new Set(['indexOf', 'lastIndexOf', 'valueOf', 'oneOf', 'anyOf', 'allOf']);
const NOUN = /[a-z]Of$/;
const PREDICATE = /^(is|has|can|may)[A-Z]/;
const BEGINS_WITH_WHAT = /^What\b/;

interface Named {
  readonly type: string;
  readonly name?: string;
}

const isNoun = ({ type, name }: Named): boolean =>
  (type === 'Identifier' || type === 'PrivateIdentifier') &&
  name !== undefined &&
  NOUN.test(name) &&
  !PREDICATE.test(name);

const isFunction = (node: { type: string } | null) =>
  node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression';

/** Names of the functions that a source declares and that are no verbs. */
function listNouns(program: Parameters<Visitor['visit']>[0]): string[] {
  const found: string[] = [];
  const add = (node: Named | null) => {
    if (node?.name !== undefined && isNoun(node)) found.push(node.name);
  };
  const addMember = (node: Named) => {
    if (!GIVEN.has(node.name ?? '')) add(node);
  };
  new Visitor({
    FunctionDeclaration: ({ id }) => add(id),
    TSDeclareFunction: ({ id }) => add(id),
    VariableDeclarator: ({ id, init }) => isFunction(init) && add(id),
    MethodDefinition: ({ key }) => addMember(key as Named),
    TSAbstractMethodDefinition: ({ key }) => addMember(key as Named),
    PropertyDefinition: ({ key, value }) => isFunction(value) && addMember(key as Named),
    TSMethodSignature: ({ key }) => addMember(key as Named),
    Property: ({ key, value }) => isFunction(value) && addMember(key as Named),
    TSPropertySignature: ({ key, typeAnnotation }) =>
      typeAnnotation?.typeAnnotation.type === 'TSFunctionType' && addMember(key as Named),
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
