import { parameterCode } from '../views/parameters.ts';
import { calledAtOnce, type Translating } from './arrows/body.ts';
import { requireVisibleMoves } from './arrows/date-moves.ts';
import { arrayFromCode, filledCode } from './arrows/made-list.ts';
import { perItemCode } from './arrows/per-item.ts';
import { Scope } from './arrows/scope.ts';
import { durationProperty } from './dates/durations.ts';
import { createdDate, dateFunction } from './dates/functions.ts';
import { findPreset } from './dates/locales.ts';
import { dateProperty } from './dates/members.ts';
import { methodCall } from './extensions/methods.ts';
import { extremeCode, FUNCTIONS, hasAdvice, reasonFor, takesArguments, VALUES } from './functions.ts';
import { queried } from './jmespath.ts';
import { listCode, objectCode } from './literals.ts';
import { binaryCode, LOGICAL, signedCode, toOperand, typeCode } from './operators.ts';
import { patternMethod, regexGroup, regexTest } from './patterns/regex.ts';
import { replacedCode } from './patterns/replace.ts';
import {
  comparedType,
  type Expression,
  fixedText,
  leaveOutUndefined,
  type Of,
  parseMatchCall,
  patternIn,
  plainName,
  scriptTree,
  setSource,
  staticKey,
} from './tree.ts';
import {
  access,
  type Code,
  chain,
  dataCode,
  enclosed,
  isDate,
  joined,
  type Names,
  other,
  textConstant,
  Untranslatable,
  type Which,
} from './value.ts';

/** A step on the way from `$('A')` to its data. */
interface Handle {
  readonly form: 'handle';
  readonly node: string | null;
  readonly stage: 'node' | 'item' | 'data';
  /** Which of several items. */
  readonly which?: Which;
  /** Written as the list of all items, as by `$items("A")`. */
  readonly isList?: boolean;
}
type Part = Code | Handle;

const MAX_DEPTH = 200;

/** The inside of one `{{ … }}` as code of the expression language. Throws `Untranslatable`. */
export const translate = (script: string, names: Names): Code =>
  new Translator(names).code(requireVisibleMoves(scriptTree(script)));

/** Methods of a list of items whose results are items, too. */
const OF_ITEMS: Readonly<Record<string, 'item' | 'items'>> = {
  at: 'item',
  first: 'item',
  last: 'item',
  reverse: 'items',
  slice: 'items',
};

/** The data of an item, which is the item here. */
function translateData({ code }: Code, key: string): Code {
  if (key !== 'json') throw new Untranslatable(`"${key}" of an item has no equal here`);
  return chain(code);
}

class Translator {
  readonly #names: Names;
  readonly #scope = new Scope();
  readonly #self: Translating;
  #depth = 0;

  constructor(names: Names) {
    this.#names = names;
    this.#self = {
      scope: this.#scope,
      code: (node) => this.code(node),
      truth: (node) => this.#truth(node),
    };
  }

  /** The code of an expression whose value is used as it is. */
  code(node: Expression): Code {
    const code = this.#plain(this.#part(node));
    if (code.value !== 'duration') return code;
    throw new Untranslatable('a difference as a whole has no value here; .days and others of it have');
  }

  /** The code of an expression that becomes a part of data or of a text. */
  #data(node: Expression): Code {
    return dataCode(this.code(node));
  }

  #plain(part: Part): Code {
    if (part.form !== 'handle') return part;
    if (part.isList === true) return this.#items(part.node);
    if (part.stage !== 'data')
      throw new Untranslatable('a node as a whole has no value here; only its data has');
    return this.#read(this.#names.whole(part.node, part.which));
  }

  #read(code: string): Code {
    return chain(this.#scope.fromOutside(code));
  }

  #items(node: string | null): Code {
    return chain(this.#scope.fromOutside(this.#names.items(node)), 'items');
  }

  #part(node: Expression): Part {
    if (++this.#depth > MAX_DEPTH) throw new Untranslatable('it is nested too deep');
    const part = this.#translated(node);
    this.#depth--;
    return part;
  }

  #translated(node: Expression): Part {
    switch (node.type) {
      case 'StringLiteral':
        return textConstant(node.value);
      case 'NumericLiteral':
        if (!Number.isFinite(node.value)) throw new Untranslatable('the number is too large');
        return { form: 'constant', code: String(node.value), value: 'number' };
      case 'BooleanLiteral':
        return { form: 'constant', code: String(node.value) };
      case 'NullLiteral':
        return { form: 'constant', code: 'null' };
      case 'TemplateLiteral':
        return this.#template(node);
      case 'Identifier':
        return this.#name(node.name);
      case 'ParenthesizedExpression':
        return this.#part(node.expression);
      case 'MemberExpression':
      case 'OptionalMemberExpression':
        return this.#member(node);
      case 'CallExpression':
      case 'OptionalCallExpression':
        return this.#call(node);
      case 'NewExpression':
        return this.#created(node);
      default:
        return this.#operation(node);
    }
  }

  #operation(node: Expression): Code {
    switch (node.type) {
      case 'UnaryExpression':
        return this.#unary(node);
      case 'BinaryExpression':
        return this.#binary(node);
      case 'LogicalExpression':
        return other(
          `${enclosed(this.#data(node.left))} ${LOGICAL[node.operator]} ${enclosed(this.#data(node.right))}`,
        );
      case 'ConditionalExpression': {
        const [yes, no] = [node.consequent, node.alternate].map((part) => enclosed(this.#data(part)));
        return other(`${enclosed(this.#truth(node.test))} ? ${yes} : ${no}`);
      }
      case 'ArrayExpression':
        return listCode(node, (part) => this.#data(part));
      case 'ObjectExpression':
        return objectCode(node, (part) => this.#data(part));
      default:
        throw new Untranslatable(`JavaScript of the kind ${node.type} has no equal here`);
    }
  }

  #template(node: Of<'TemplateLiteral'>): Code {
    const parts = node.quasis.flatMap(({ value }, index): Code[] => {
      const text = value.cooked ?? value.raw;
      const next = node.expressions[index] as Expression | undefined;
      return [...(text === '' ? [] : [textConstant(text)]), ...(next === undefined ? [] : [this.code(next)])];
    });
    return parts.length === 0 ? textConstant('') : joined(parts);
  }

  #name(name: string): Part {
    const bound = this.#scope.resolve(name, this.#self.code);
    if (bound !== undefined) return bound;
    if (name === '$json') return { form: 'handle', node: null, stage: 'data' };
    if (name === '$input') return { form: 'handle', node: null, stage: 'node' };
    if (name === '$itemIndex') return this.#names.index();
    if (name === '$runIndex') return this.#names.runIndex();
    const value = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
    if (value === undefined) throw new Untranslatable(reasonFor(name));
    return value;
  }

  #member(node: Of<'MemberExpression'> | Of<'OptionalMemberExpression'>): Part {
    const whole = plainName(node);
    if (whole !== undefined && Object.hasOwn(VALUES, whole)) return VALUES[whole] as Code;
    const preset = whole === undefined ? undefined : findPreset(whole);
    if (preset !== undefined) return preset;
    if (whole !== undefined && hasAdvice(whole)) throw new Untranslatable(reasonFor(whole));
    if (whole === '$prevNode.name') return textConstant(this.#names.previous());
    const given = parameterCode(node, this.#names);
    if (given !== undefined) return given;
    const key = staticKey(node);
    if (whole?.startsWith('$vars.') === true && key !== undefined) return chain(`global${access(key)}`);
    const set = setSource(node.object);
    if (set !== undefined && key === 'size') return chain(`len(toSet(${this.code(set).code}))`, 'number');
    const named = this.#named(node.object, key);
    if (named !== undefined) return named;
    const group = this.#group(node);
    if (group !== undefined) return group;
    const part = this.#part(node.object);
    const object = part.form === 'handle' && part.isList === true ? this.#plain(part) : part;
    if (object.form === 'handle') return this.#inside(object, { key, node });
    if (key === undefined) return this.#at(object, this.code(node.property as Expression));
    if (isDate(object)) return dateProperty(object, key);
    if (object.value === 'duration') return durationProperty(object, key);
    if (object.value === 'item') return translateData(object, key);
    const code = `${enclosed(object)}${access(key)}`;
    const found = object.form === 'other' ? other(code) : chain(code);
    return key === 'length' ? { ...found, value: 'number' } : found;
  }

  /** `text.match(/pattern/)[1]`. */
  #group(node: Of<'MemberExpression'> | Of<'OptionalMemberExpression'>): Code | undefined {
    const found = parseMatchCall(node.object);
    if (found === undefined || !node.computed || node.property.type !== 'NumericLiteral') return undefined;
    return regexGroup(this.code(found.text), found.pattern, node.property.value);
  }

  /** Code of what is only tested: a match is true or false there. */
  #truth(node: Expression): Code {
    const found = parseMatchCall(node);
    return found === undefined ? this.code(node) : regexTest(this.code(found.text), found.pattern);
  }

  #at(object: Code, key: Code): Code {
    if (object.value === 'item') throw new Untranslatable('only the json of an item has an equal here');
    const code = `${enclosed(object)}[${key.code}]`;
    if (object.value === 'items') return chain(code, 'item');
    return object.form === 'other' ? other(code) : chain(code);
  }

  /** `$node["A"]` and `$node.A`. */
  #named(object: Expression, key: string | undefined): Handle | undefined {
    if (object.type !== 'Identifier' || object.name !== '$node' || key === undefined) return undefined;
    return { form: 'handle', node: key, stage: 'node' };
  }

  #inside(
    { node: name, stage, which = 'current' }: Handle,
    { key, node }: { key: string | undefined; node: Of<'MemberExpression'> | Of<'OptionalMemberExpression'> },
  ): Part {
    if (stage === 'data') {
      if (key !== undefined) return this.#read(this.#names.field(name, key, which));
      return this.#at(this.#read(this.#names.whole(name, which)), this.code(node.property as Expression));
    }
    if (key === 'json') return { form: 'handle', node: name, stage: 'data', which };
    if (key === 'isExecuted' && name !== null) return other(this.#names.ran(name));
    if (key === 'item' && stage === 'node') return { form: 'handle', node: name, stage: 'item' };
    throw new Untranslatable(`"${key ?? '[…]'}" of a node has no equal here`);
  }

  #call(node: Of<'CallExpression'> | Of<'OptionalCallExpression'>): Part {
    const { callee } = node;
    const args = node.arguments as Expression[];
    if (callee.type === 'Identifier' && (callee.name === '$' || callee.name === '$items')) {
      const [name] = args;
      if (args.length !== 1 || name?.type !== 'StringLiteral') {
        throw new Untranslatable('the name of a node must be a fixed text');
      }
      return { form: 'handle', node: name.value, stage: 'node', isList: callee.name === '$items' };
    }
    const atOnce = calledAtOnce(node, this.#self);
    if (atOnce !== undefined) return atOnce;
    const whole = plainName(callee as Expression);
    if (/^\$fromai$/i.test(whole ?? '')) return this.#fromAgent(args);
    if (whole !== undefined) {
      const called = this.#function(whole, args);
      if (called !== undefined) return called;
    }
    if (callee.type !== 'MemberExpression' && callee.type !== 'OptionalMemberExpression') {
      throw new Untranslatable(reasonFor(`${whole ?? ''}()`));
    }
    return this.#method(callee, args);
  }

  /** `$fromAI('name', 'description', 'type', …)`. */
  #fromAgent([name]: readonly Expression[]): Code {
    const text = name && fixedText(name);
    if (text === undefined || text === '') throw new Untranslatable('$fromAI() needs a fixed name');
    return chain(this.#names.fromAgent(text));
  }

  #function(name: string, args: readonly Expression[]): Code | undefined {
    if (name === '$if' && (args.length === 2 || args.length === 3)) {
      const [test, yes, no = 'false'] = args.map((arg) => enclosed(this.#data(arg)));
      return other(`${test} ? ${yes} : ${no}`);
    }
    if (name === '$ifEmpty' && args.length === 2) {
      const [value, instead] = args.map((arg) => enclosed(this.#data(arg)));
      // 0 and false are values; nothing, an empty text, list and object are not.
      return other(`(${value} or ${value} == 0 or ${value} == false) ? ${value} : ${instead}`);
    }
    if (name === 'Array.from') return arrayFromCode(args, this.#self);
    if (name === '$jmespath' && args.length === 2) {
      return queried(this.code(args[0] as Expression), fixedText(args[1] as Expression));
    }
    const [value] = args;
    if (
      args.length === 1 &&
      value?.type === ('SpreadElement' as string) &&
      /^(?:Math\.|\$)(?:max|min)$/.test(name)
    )
      return extremeCode(name, this.code((value as unknown as Of<'UnaryExpression'>).argument));
    const make = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (make === undefined)
      return /^Date(?:Time)?\./.test(name)
        ? dateFunction(
            name,
            args.map((arg) => this.code(arg)),
          )
        : undefined;
    if (!takesArguments(name, args))
      throw new Untranslatable(`${name}() with ${args.length} arguments has no equal here`);
    const used = name === 'parseInt' ? args.slice(0, 1) : args;
    const isData = name === 'String' || name === 'JSON.stringify';
    return make(...(used.map((arg) => (isData ? this.#data(arg) : this.code(arg))) as [Code]));
  }

  #method(
    callee: Of<'MemberExpression'> | Of<'OptionalMemberExpression'>,
    args: readonly Expression[],
  ): Part {
    const name = staticKey(callee);
    if (name === undefined) throw new Untranslatable('a computed method has no equal here');
    if (name === 'test' && callee.object.type === 'RegExpLiteral' && args.length === 1)
      return regexTest(this.code(args[0] as Expression), callee.object);
    const filled = filledCode(callee.object, { name, args }, this.#self);
    if (filled !== undefined) return filled;
    const set = name === 'has' ? setSource(callee.object) : undefined;
    const object = set === undefined ? this.#part(callee.object) : chain(`toSet(${this.code(set).code})`);
    if (object.form === 'handle' && object.stage === 'node' && args.length === 0) {
      if (name === 'first' || name === 'last' || name === 'itemMatching') {
        const which = name === 'itemMatching' ? 'current' : name;
        return { form: 'handle', node: object.node, stage: 'item', which };
      }
      if (name === 'all' && object.isList !== true) return this.#items(object.node);
    }
    if (object.form === 'handle' && object.stage === 'node' && name === 'itemMatching' && args.length === 1)
      return this.#at(this.#items(object.node), this.code(args[0] as Expression));
    const receiver = this.#plain(object);
    const perItem = perItemCode(receiver, { name, args }, this.#self);
    if (perItem !== undefined) return perItem;
    if (name === 'replace' || name === 'replaceAll')
      return replacedCode(receiver, { isAll: name === 'replaceAll', args, code: (arg) => this.code(arg) });
    const pattern = args.length === 1 ? patternIn(name, args[0]) : undefined;
    const found = pattern === undefined ? undefined : patternMethod(receiver, name, pattern);
    if (found !== undefined) return found;
    const called = methodCall(
      receiver,
      name,
      leaveOutUndefined(name, args).map((arg) => (isDate(receiver) ? this.code(arg) : this.#data(arg))),
    );
    const isOfItems = receiver.value === 'items' && Object.hasOwn(OF_ITEMS, name);
    return isOfItems ? chain(called.code, OF_ITEMS[name]) : called;
  }

  #created(node: Of<'NewExpression'>): Code {
    if (node.callee.type !== 'Identifier' || node.callee.name !== 'Date' || node.arguments.length > 1) {
      throw new Untranslatable('only dates can be created here');
    }
    const [arg] = node.arguments as Expression[];
    return createdDate(arg && this.code(arg));
  }

  #unary(node: Of<'UnaryExpression'>): Code {
    if (node.operator === '!') return other(`not ${enclosed(this.#truth(node.argument))}`);
    return signedCode(node.operator, this.code(node.argument));
  }

  #binary({ operator, left, right }: Of<'BinaryExpression'>): Code {
    if (left.type === 'PrivateName') throw new Untranslatable('private names have no equal here');
    const typed = comparedType({ operator, left, right });
    if (typed !== undefined) return typeCode(operator, this.code(typed.value), typed.name);
    const operands = [left, right].map((node) => toOperand(node.type, this.code(node)));
    return binaryCode(operator, ...(operands as [Code, Code]));
  }
}
