import { functions } from '../functions/table.ts';
import { anyMethods, scalarMethods } from '../methods/any.ts';
import { dateMethods } from '../methods/date.ts';
import { listMethods } from '../methods/list.ts';
import { objectMethods } from '../methods/object.ts';
import { stringMethods } from '../methods/string.ts';

export type ReceiverType = 'string' | 'array' | 'object' | 'number' | 'boolean' | 'date' | 'any';

export interface FunctionDoc {
  readonly name: string;
  readonly signature: string;
  /** One sentence. */
  readonly doc: string;
  readonly example: string;
  readonly aliases: readonly string[];
}

export interface MethodDoc extends FunctionDoc {
  readonly type: ReceiverType;
  /** Read without parentheses. */
  readonly property: boolean;
}

interface Documented {
  readonly signature: string;
  readonly doc: string;
  readonly example: string;
  readonly aliases?: readonly string[];
  readonly property?: boolean;
}

/** Every function, in the order of documentation. */
export const functionDocs: readonly FunctionDoc[] = Object.entries(functions).map(([name, definition]) =>
  describe(name, definition),
);

/** Every method and property by the type of value that has it. */
export const methodDocs: readonly MethodDoc[] = [
  ...describeMethods('string', stringMethods),
  ...describeMethods('array', listMethods),
  ...describeMethods('object', objectMethods),
  ...describeMethods('number', scalarMethods),
  ...describeMethods('boolean', scalarMethods),
  ...describeMethods('date', dateMethods),
  ...describeMethods('any', anyMethods),
];

function describeMethods(type: ReceiverType, table: Readonly<Record<string, Documented>>): MethodDoc[] {
  return Object.entries(table).map(([name, definition]) => ({
    ...describe(name, definition),
    type,
    property: definition.property === true,
  }));
}

function describe(name: string, definition: Documented): FunctionDoc {
  const { signature, doc, example, aliases = [] } = definition;
  return { name, signature, doc, example, aliases };
}
