import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '@millrace/engine';
import type { EgressRequest } from '../../services.ts';
import type { FakeAnswer } from '../fake-services.ts';

export const HOST_TOKEN = 'ghp-canary-of-the-host';
/** Of the newest commit of `main`. */
export const BASE_SHA = 'b'.repeat(40);

interface Commit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

/** A code host with one repository, `ada/engine`, as far as https://docs.github.com/en/rest/git describes it; refuses everything else. */
export class CodeHost {
  readonly branches = new Map<string, string>([['main', BASE_SHA]]);
  readonly commits = new Map<string, Commit>([
    [BASE_SHA, { tree: 't'.repeat(40), parents: [], message: 'first' }],
  ]);
  /** Texts of the files of trees, null for one that a tree removes. */
  readonly trees = new Map<string, Record<string, string | null>>();
  readonly pulls: JsonObject[] = [];
  readonly requests: EgressRequest[] = [];
  readonly #blobs = new Map<string, string>();
  readonly #archive: Uint8Array;

  /** @param archive gzipped tar file of the newest commit */
  constructor(archive: Uint8Array = new Uint8Array()) {
    this.#archive = archive;
  }

  readonly answer = (request: EgressRequest): FakeAnswer => {
    this.requests.push(request);
    const { pathname, searchParams, origin } = new URL(request.url);
    if (origin === 'https://archives.example') return { body: this.#archive };
    const token = request.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
    const isRead = request.method === 'GET';
    if (token !== `Bearer ${HOST_TOKEN}` && !(isRead && token === undefined))
      return this.#refuse(401, 'Bad credentials');
    const place = pathname.replace('/repos/ada/engine', '');
    if (place === pathname) return this.#refuse(404, 'Not Found');
    const body = request.body === undefined ? {} : (JSON.parse(String(request.body)) as JsonObject);
    return isRead ? this.#read(place, searchParams) : this.#write(`${request.method} ${place}`, body);
  };

  #refuse(status: number, message: string): FakeAnswer {
    return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ message }) };
  }

  #json(value: Json, status = 200): FakeAnswer {
    return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
  }

  #read(place: string, query: URLSearchParams): FakeAnswer {
    const branch = /^\/git\/ref\/heads\/(.+)$/.exec(place)?.[1];
    if (branch !== undefined) {
      const sha = this.branches.get(decodeURIComponent(branch));
      return sha === undefined
        ? this.#refuse(404, 'Not Found')
        : this.#json({ object: { sha, type: 'commit' } });
    }
    if (place === `/tarball/${BASE_SHA}`) return { body: this.#archive };
    const commit = this.commits.get(place.replace('/git/commits/', ''));
    if (commit) return this.#json({ tree: { sha: commit.tree } });
    if (place !== '/pulls' || query.get('state') !== 'open') return this.#refuse(404, 'Not Found');
    return this.#json(this.pulls.filter(({ head }) => `ada:${String(head)}` === query.get('head')));
  }

  #write(what: string, body: JsonObject): FakeAnswer {
    const moved = /^PATCH \/git\/refs\/heads\/(.+)$/.exec(what)?.[1];
    if (moved !== undefined) return this.#move(decodeURIComponent(moved), body);
    switch (what) {
      case 'POST /git/blobs':
        return this.#blob(body);
      case 'POST /git/trees':
        return this.#tree(body);
      case 'POST /git/commits': {
        const { tree, parents, message } = body;
        const sha = hashValue(body);
        this.commits.set(sha, { tree: String(tree), parents: parents as string[], message: String(message) });
        return this.#json({ sha }, 201);
      }
      case 'POST /git/refs': {
        const name = String(body['ref']).replace('refs/heads/', '');
        if (this.branches.has(name)) return this.#refuse(422, 'Reference already exists');
        this.branches.set(name, String(body['sha']));
        return this.#json({ ref: String(body['ref']) }, 201);
      }
      case 'POST /pulls': {
        if (!this.branches.has(String(body['head']))) return this.#refuse(422, 'Validation Failed');
        const pull = { ...body, html_url: `https://github.com/ada/engine/pull/${this.pulls.length + 1}` };
        this.pulls.push(pull);
        return this.#json(pull, 201);
      }
      default:
        return this.#refuse(404, 'Not Found');
    }
  }

  #blob({ content, encoding }: JsonObject): FakeAnswer {
    if (encoding !== 'base64' || typeof content !== 'string') return this.#refuse(422, 'Validation Failed');
    const sha = hashValue(content);
    this.#blobs.set(sha, Buffer.from(content, 'base64').toString('utf8'));
    return this.#json({ sha }, 201);
  }

  #tree({ base_tree, tree }: JsonObject): FakeAnswer {
    if (base_tree !== 't'.repeat(40) || !Array.isArray(tree)) return this.#refuse(422, 'Validation Failed');
    const sha = hashValue(tree);
    const entries = (tree as JsonObject[]).map(({ path, sha: blob }) => [
      path,
      blob === null ? null : this.#blobs.get(String(blob)),
    ]);
    this.trees.set(sha, Object.fromEntries(entries) as Record<string, string | null>);
    return this.#json({ sha }, 201);
  }

  #move(name: string, { sha, force }: JsonObject): FakeAnswer {
    const head = this.branches.get(name);
    const next = this.commits.get(String(sha));
    if (head === undefined || !next) return this.#refuse(422, 'Reference does not exist');
    if (force !== true && !next.parents.includes(head))
      return this.#refuse(422, 'Update is not a fast forward');
    this.branches.set(name, String(sha));
    return this.#json({ object: { sha: String(sha) } });
  }

  /** Files that the newest commit of a branch changed. */
  changedOn(branch: string): Record<string, string | null> | undefined {
    const commit = this.commits.get(this.branches.get(branch) ?? '');
    return commit && this.trees.get(commit.tree);
  }
}

const hashValue = (value: unknown): string => createHash('sha1').update(JSON.stringify(value)).digest('hex');
