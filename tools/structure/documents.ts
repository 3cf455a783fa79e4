import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Violation } from './rules.ts';

/** Paths that a document names in backquotes or links to. */
export function namedPaths(markdown: string): string[] {
  const prose = markdown.replace(/```[\s\S]*?```/g, '');
  const quoted = [...prose.matchAll(/`((?:packages|apps|e2e|bench|tools|docs)\/[\w./-]+)`/g)].map(
    (match) => match[1] ?? '',
  );
  const linked = [...prose.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(
    (match) => `./${match[1] ?? ''}`,
  );
  return [...quoted, ...linked];
}

/** Documents that name files which are not there. */
export function checkDocuments(root: string, documents: readonly string[]): Violation[] {
  return documents.flatMap((document) =>
    namedPaths(readFileSync(join(root, document), 'utf8'))
      .filter(
        (path) => !existsSync(path.startsWith('./') ? join(root, dirname(document), path) : join(root, path)),
      )
      .map((path) => ({
        rule: 'documents-name-what-exists',
        path: document,
        message: `names ${path}, which does not exist`,
      })),
  );
}
