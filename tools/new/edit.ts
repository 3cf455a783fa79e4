import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** The files of a repository that a generator adds to; what it has written is formatted afterwards. */
export class Edits {
  readonly root: string;
  readonly #written = new Set<string>();

  constructor(root: string) {
    this.root = root;
  }

  /** Paths from the root. */
  get written(): readonly string[] {
    return [...this.#written].sort();
  }

  exists(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  /** Names of the entries of a folder. */
  list(path: string): readonly string[] {
    return readdirSync(join(this.root, path));
  }

  /** A new file; throws when there is one. */
  create(path: string, text: string): void {
    const full = join(this.root, path);
    if (existsSync(full)) throw new Error(`${path} exists`);
    mkdirSync(dirname(full), { recursive: true });
    this.#write(path, text);
  }

  replace(path: string, text: string): void {
    this.#write(path, text);
  }

  /** Puts text in front of the first occurrence of another; throws when there is none. */
  insertBefore(path: string, anchor: string, text: string): void {
    const whole = this.read(path);
    const at = whole.indexOf(anchor);
    if (at < 0) throw new Error(`${path} has no place for this any more: ${JSON.stringify(anchor)}`);
    this.#write(path, whole.slice(0, at) + text + whole.slice(at));
  }

  /** Puts an entry behind the last one of the object whose declaration begins with the text. */
  append(path: string, beginning: string, entry: string): void {
    const whole = this.read(path);
    const start = whole.indexOf(beginning);
    const end = start < 0 ? -1 : whole.indexOf('\n};', start);
    if (end < 0) throw new Error(`${path} has no place for this any more: ${JSON.stringify(beginning)}`);
    this.#write(path, `${whole.slice(0, end)}\n${entry}${whole.slice(end)}`);
  }

  /** Copies a folder of samples; `rename` changes names, and imports that lead out of the folder keep their target. */
  copyFolder(from: string, to: string, rename: (text: string) => string): void {
    for (const name of readdirSync(join(this.root, from))) {
      const text = this.read(`${from}/${name}`).replace(
        /(from ')(\.\.\/[^']+)(')/g,
        (_all, before: string, target: string, after: string) =>
          `${before}${posix.relative(to, posix.join(from, target))}${after}`,
      );
      this.create(`${to}/${name}`, rename(text));
    }
  }

  #write(path: string, text: string): void {
    writeFileSync(join(this.root, path), text);
    this.#written.add(path);
  }
}
