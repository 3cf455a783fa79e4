import { Edits } from './edit.ts';
import { deriveNames, type Names } from './names.ts';
import { addIntegration, addNode } from './node.ts';
import { addResource } from './resource.ts';
import { addScreen } from './screen.ts';

interface Kind {
  /** Writes the files and says what is left to do. */
  readonly add: (edits: Edits, names: Names, without: readonly string[]) => string;
  /** Parts of it can be left out. */
  readonly has_parts?: boolean;
  /** A migration is made for it. */
  readonly has_table?: boolean;
}

export const KINDS: Readonly<Record<string, Kind>> = {
  node: { add: addNode },
  integration: { add: addIntegration },
  resource: { add: addResource, has_table: true, has_parts: true },
  screen: { add: addScreen },
};

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

export interface Made {
  /** Paths from the root. */
  readonly written: readonly string[];
  readonly advice: string;
  /** The commands that must run before the files pass the checks. */
  readonly commands: readonly Command[];
}

interface Wish {
  readonly kind: string;
  readonly name: string;
  /** Endpoints of a resource that it shall not have. */
  readonly without?: readonly string[];
}

/** Writes the files of a new thing into a repository. Throws with a sentence when there is one of that name. */
export function make(root: string, { kind, name, without = [] }: Wish): Made {
  const made = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (made === undefined) throw new Error(`"${kind}" is nothing that can be made`);
  if (without.length > 0 && !made.has_parts) throw new Error(`a ${kind} has no parts that can be left out`);
  const edits = new Edits(root);
  const advice = made.add(edits, deriveNames(name), without);
  const { written } = edits;
  return {
    written,
    advice,
    commands: [
      { command: 'biome', args: ['check', '--write', '--linter-enabled=false', ...written] },
      ...(made.has_table ? [{ command: 'tsx', args: ['tools/generate/migration.ts', '--name', name] }] : []),
      { command: 'tsx', args: ['tools/generate.ts'] },
    ],
  };
}
