import type { ImportWarning } from '@millrace/engine';

/** Lines about one node of the import; `field` is the parameter here, when the line is about one. */
export class NodeReport {
  readonly #place: string;
  readonly #lines: ImportWarning[];
  readonly #name: string;

  constructor(lines: ImportWarning[], { index, name }: { index: number; name: string }) {
    this.#lines = lines;
    this.#place = `nodes.${index}`;
    this.#name = name;
  }

  say(message: string, field?: string): void {
    this.#lines.push({
      field: field === undefined ? this.#place : `${this.#place}.${field}`,
      message: `${this.#name}: ${message}`,
    });
  }
}
