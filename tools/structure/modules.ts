import { readdirSync, readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, posix, relative } from 'node:path';
import { parseSync } from 'oxc-parser';

/** One import of a module; `target` is a path of this repository, or the name of a package. */
export interface Import {
  readonly specifier: string;
  readonly target: string;
  readonly kind: 'file' | 'package' | 'node';
  readonly type_only: boolean;
}

export interface Module {
  /** Path from the root of the repository, with forward slashes. */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
}

/** Where the entry points of our own packages lie, by import specifier. */
export type WorkspaceExports = ReadonlyMap<string, string>;

/** Folders of our own packages. */
export const WORKSPACES: readonly string[] = [
  'packages/engine',
  'packages/models',
  'packages/nodes',
  'packages/import-n8n',
  'packages/contracts',
  'apps/server',
  'apps/web',
];

const SKIPPED = new Set(['node_modules', 'dist', 'migrations', 'coverage']);
const NODE = new Set(builtinModules);

export function listSources(root: string, folders: readonly string[]): string[] {
  const found: string[] = [];
  const visit = (folder: string) => {
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) {
        if (!SKIPPED.has(name)) visit(path);
      } else if (/\.tsx?$/.test(name)) found.push(relative(root, path).replaceAll('\\', '/'));
    }
  };
  for (const folder of folders) visit(join(root, folder));
  return found;
}

/** Reads `exports` of every workspace package: `@millrace/engine/testing` -> its file. */
export function readWorkspaceExports(root: string, packages: readonly string[]): WorkspaceExports {
  const exports = new Map<string, string>();
  for (const folder of packages) {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
      name: string;
      exports?: Record<string, string>;
    };
    for (const [entry, file] of Object.entries(manifest.exports ?? {})) {
      exports.set(posix.join(manifest.name, entry), posix.join(folder, file));
    }
  }
  return exports;
}

function resolveImport(
  from: string,
  specifier: string,
  workspace: WorkspaceExports,
): Pick<Import, 'target' | 'kind'> {
  if (specifier.startsWith('.')) return { target: posix.join(dirname(from), specifier), kind: 'file' };
  const file = workspace.get(specifier);
  if (file) return { target: file, kind: 'file' };
  const [scope = '', name = ''] = specifier.split('/');
  if (specifier.startsWith('node:') || NODE.has(scope)) return { target: specifier, kind: 'node' };
  return { target: specifier.startsWith('@') ? `${scope}/${name}` : scope, kind: 'package' };
}

/** Reads the imports of one source, dynamic ones with a literal specifier included. */
export function readModule(path: string, text: string, workspace: WorkspaceExports): Module {
  const { module } = parseSync(path, text);
  const imports: Import[] = [];
  const add = (specifier: string, type_only: boolean) =>
    imports.push({ specifier, type_only, ...resolveImport(path, specifier, workspace) });
  for (const item of module.staticImports) {
    const names = item.entries;
    add(item.moduleRequest.value, names.length > 0 && names.every((entry) => entry.isType));
  }
  for (const item of module.staticExports) {
    for (const entry of item.entries) if (entry.moduleRequest) add(entry.moduleRequest.value, entry.isType);
  }
  for (const item of module.dynamicImports) {
    const literal = /^\s*['"]([^'"]+)['"]\s*$/.exec(
      text.slice(item.moduleRequest.start, item.moduleRequest.end),
    );
    if (literal?.[1]) add(literal[1], false);
  }
  return { path, lines: text.split('\n').length - 1, imports };
}
