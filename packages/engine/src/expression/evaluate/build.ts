import { setEntry } from '../functions/convert.ts';
import type { Clause, DictEntry, Node } from '../syntax/ast.ts';
import { isTruthy } from '../values/compare.ts';
import { emptyObject, isObject } from '../values/settle.ts';
import { listElements } from './access.ts';
import type { Names } from './context.ts';
import { type Code, type Context, NoValue, produceList, spend } from './context.ts';

/** How to compile a part; handed in by the compiler, which calls this file. */
interface Compiler {
  readonly names: Names;
  readonly compile: (node: Node, names: Names) => Code;
}

export function compileDict(entries: readonly DictEntry[], compiler: Compiler): Code {
  const codes = entries.map((entry) => ({
    key: compileKey(entry.key, compiler),
    value: compiler.compile(entry.value, compiler.names),
  }));
  return (context) => {
    context.built = true;
    const object = emptyObject();
    for (const { key, value } of codes)
      setEntry(context, object, { key: key(context), value: value(context) });
    return object;
  };
}

/** A bare word as key is the value of that name, or the word itself when there is no such name. */
function compileKey(key: Node, { names, compile }: Compiler): Code {
  if (key.kind !== 'name' || key.dollar || names.local.has(key.name)) return compile(key, names);
  const { name } = key;
  return (context) => context.scope.lookup(name) ?? name;
}

type Comprehension = Extract<Node, { kind: 'list_for' | 'dict_for' }>;
type Visit = (context: Context) => void;

/** `[element for x in list if test]` and `{key: value for …}`; every round is paid for. */
export function compileComprehension(node: Comprehension, { names, compile }: Compiler): Code {
  const loop = compileClauses(node, { names, compile });
  if (node.kind === 'list_for') {
    const element = compile(node.element, loop.names);
    return (context) => {
      const list: unknown[] = [];
      loop.run(context, () => list.push(element(context)));
      return produceList(context, list);
    };
  }
  const key = compile(node.entry.key, loop.names);
  const value = compile(node.entry.value, loop.names);
  return (context) => {
    context.built = true;
    const object = emptyObject();
    loop.run(context, () => setEntry(context, object, { key: key(context), value: value(context) }));
    return object;
  };
}

interface Loop {
  /** Names as they are inside the loop. */
  readonly names: Names;
  run(context: Context, visit: Visit): void;
}

interface BoundClause {
  readonly source: Code;
  readonly conditions: readonly Code[];
  readonly slots: readonly number[];
}

function compileClauses(node: Comprehension, { names, compile }: Compiler): Loop {
  let inner = names;
  const clauses = node.clauses.map((clause): BoundClause => {
    const source = compile(clause.source, inner);
    inner = bindVariables(clause, inner);
    const slots = clause.names.map((name) => inner.local.get(name) as number);
    return { source, slots, conditions: clause.conditions.map((condition) => compile(condition, inner)) };
  });
  const rounds = (context: Context, depth: number, visit: Visit): void => {
    const clause = clauses[depth];
    if (clause === undefined) {
      visit(context);
      return;
    }
    for (const element of listElements(context, clause.source(context))) {
      spend(context, node.size);
      assign(context, clause.slots, element);
      if (clause.conditions.every((holds) => isTruthy(holds(context)))) rounds(context, depth + 1, visit);
    }
  };
  return { names: inner, run: (context, visit) => rounds(context, 0, visit) };
}

function bindVariables(clause: Clause, names: Names): Names {
  const local = new Map(names.local);
  for (const name of clause.names) local.set(name, names.slots.count++);
  return { ...names, local };
}

/** Several variables take a list of that length apart, or an entry's key and value. */
function assign(context: Context, slots: readonly number[], element: unknown): void {
  const [only] = slots;
  if (slots.length === 1 && only !== undefined) {
    context.slots[only] = element ?? null;
    return;
  }
  const values = isObject(element) && Object.hasOwn(element, 'key') ? [element.key, element.value] : element;
  if (!Array.isArray(values) || values.length !== slots.length) {
    throw new NoValue('The elements do not have as many parts as there are variables.');
  }
  for (const [index, slot] of slots.entries()) context.slots[slot] = values[index] ?? null;
}
