import type { Expression } from '../tree.ts';
import { type Code, chain, Untranslatable } from '../value.ts';

/** A parameter, which is `item` or a part of it, or a constant, which stands for its expression. */
type Binding = { readonly name: string } & (
  | { readonly code: string; readonly level: number; readonly value?: Code['value'] }
  | { readonly node: Expression; readonly seen: number; uses: number }
);

/** Each use of a constant is translated again, which could double with every constant. */
const MOST_STEPS = 500;
/** Code that gives another value each time. */
const CHANCE = /\brand\(|\.random\(|\bUUID\b/;

/** At its beginning `item` can become `$item`; further on it would be read as that of the function. */
const LATER_ITEM = /(?<=[^.\w$])item\b/;
const QUOTED = /"(?:\\.|[^"\\])*"/g;

/** The names of the functions around a part of a script. */
export class Scope {
  #bindings: readonly Binding[] = [];
  /** Functions around that are called for each element of a list. */
  #level = 0;
  #steps = 0;

  /** Throws `Untranslatable` when the script has too many parts. */
  spend(): void {
    if (++this.#steps > MOST_STEPS) throw new Untranslatable('its functions are too long');
  }

  /** Names that are bound meanwhile are gone afterwards. */
  within<T>(make: () => T): T {
    const before = this.#bindings;
    try {
      return make();
    } finally {
      this.#bindings = before;
    }
  }

  /** Code that is evaluated for each element of a list. */
  perElement<T>(make: () => T): T {
    this.#level++;
    try {
      return this.within(make);
    } finally {
      this.#level--;
    }
  }

  bindItem(name: string, code: string, value?: Code['value']): void {
    const typed = value === undefined ? {} : { value };
    this.#bindings = [...this.#bindings, { name, code, level: this.#level, ...typed }];
  }

  bindConstant(name: string, node: Expression): void {
    this.#bindings = [...this.#bindings, { name, node, seen: this.#bindings.length, uses: 0 }];
  }

  /** A constant whose date was changed. Throws `Untranslatable` when another name may stand for the same date. */
  rebind(name: string, node: Expression): void {
    const isShared = this.#bindings.some(
      (bound) =>
        'node' in bound &&
        bound.node.type === 'Identifier' &&
        (bound.name === name || bound.node.name === name),
    );
    const binding = this.#bindings.findLast((bound) => bound.name === name);
    if (isShared || binding === undefined || 'code' in binding || binding.node.type !== 'NewExpression')
      throw new Untranslatable(`${name} may be changed under another name`);
    this.bindConstant(name, node);
  }

  /** Code of the value with that name; undefined when no function around has it. */
  resolve(name: string, translate: (node: Expression) => Code): Code | undefined {
    const binding = this.#bindings.findLast((bound) => bound.name === name);
    if (binding === undefined) return undefined;
    if ('code' in binding)
      return chain(this.#reach(binding.code, this.#level - binding.level), binding.value);
    this.spend();
    const made = this.within(() => {
      this.#bindings = this.#bindings.slice(0, binding.seen);
      return translate(binding.node);
    });
    binding.uses++;
    if (binding.uses > 1 && CHANCE.test(made.code))
      throw new Untranslatable(`${name} is used more than once and is another value each time`);
    return made;
  }

  /** Code that reads the `item` around the whole script, as it is written here. */
  fromOutside(code: string): string {
    // Inside a function the name is that of its own element.
    if (this.#level > 0 && LATER_ITEM.test(code.replaceAll(QUOTED, '""')))
      throw new Untranslatable('a function reads the item around it in a way that has no equal here');
    return /^item\b/.test(code) ? this.#reach(code, this.#level) : code;
  }

  #reach(code: string, levels: number): string {
    if (levels > 1 && /^item\b/.test(code))
      throw new Untranslatable('a function inside a function inside another has no equal here');
    return levels === 1 && /^item\b/.test(code) ? `$${code}` : code;
  }
}
