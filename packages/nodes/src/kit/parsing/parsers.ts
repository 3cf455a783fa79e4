/** Each parser has its own parameters. */
export type ParserTable = Readonly<Record<string, (...args: never[]) => unknown>>;

export interface ParseOptions {
  /** Subject of error messages, such as `The YAML document`. */
  readonly what: string;
  /** The action on it; `reading` by default. */
  readonly action?: 'read' | 'convert' | 'check';
  /** Parameter that it comes from. */
  readonly field?: string;
  /** Time limit, if different from the default. */
  readonly time_ms?: number;
  /** Aborting it stops the work. */
  readonly signal?: AbortSignal;
  /** Owner of the document; a free process goes to the owner with the fewest running. */
  readonly owner?: string;
}

/**
 * Parses documents outside the event loop. Work that takes too much time or memory is stopped and
 * fails with a `NodeFailure` of kind `limit`.
 */
export interface Parsers<Table extends ParserTable> {
  run<Name extends keyof Table & string>(
    name: Name,
    args: Parameters<Table[Name]>,
    options: ParseOptions,
  ): Promise<Awaited<ReturnType<Table[Name]>>>;
}

/** By parser name: whether a document is small enough to take only milliseconds in the worst case. */
export type QuickRules<Table extends ParserTable> = {
  readonly [Name in keyof Table]?: (...args: Parameters<Table[Name]>) => boolean;
};

/** Parses small documents directly, which is faster than a round trip to another process. */
export function withQuickParsers<All extends ParserTable, Quick extends ParserTable>(
  parsers: Parsers<All>,
  table: Quick,
  rules: QuickRules<Quick>,
): Parsers<All> {
  return {
    async run<Name extends keyof All & string>(
      name: Name,
      args: Parameters<All[Name]>,
      options: ParseOptions,
    ): Promise<Awaited<ReturnType<All[Name]>>> {
      const isQuick = rules[name] as ((...given: unknown[]) => boolean) | undefined;
      if (!isQuick?.(...args)) return parsers.run(name, args, options);
      options.signal?.throwIfAborted();
      // Guarantee: the processes serve the same parser table.
      return (await table[name]?.(...(args as never[]))) as Awaited<ReturnType<All[Name]>>;
    },
  };
}
