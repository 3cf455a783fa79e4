/** A parameter of a query or of a form body. */
export interface Pair {
  readonly name: string;
  readonly value: string;
  /** Sent as it is written; else reserved characters are encoded, also those of values of expressions. */
  readonly raw: boolean;
  /** How the command writes it, where encoding it anew would give other characters. */
  readonly written?: string;
}

/** A header; one without a name is a whole line, as an expression may bring it. */
export interface HeaderRow {
  readonly name: string;
  readonly value: string;
}

/** A field of a multipart body. */
export interface PartRow {
  readonly name: string;
  readonly value: string;
  readonly filename: string;
  readonly type: string;
  /** The value gives a file of the run, or several. */
  readonly is_file: boolean;
}

export type Auth =
  | { readonly kind: 'none' }
  /** `user:password`, or a credential that is both. */
  | { readonly kind: 'basic'; readonly value: string }
  /** The token without its scheme. */
  | { readonly kind: 'bearer'; readonly value: string }
  /** A credential that brings a whole header. */
  | { readonly kind: 'header'; readonly value: string };

export type FormBody =
  | { readonly kind: 'none' }
  /** `type` is the content type that is sent. */
  | { readonly kind: 'json'; readonly text: string; readonly type: string }
  /** `type` is the content type that the command names; empty: none. */
  | { readonly kind: 'form'; readonly rows: readonly Pair[]; readonly type: string }
  | { readonly kind: 'multipart'; readonly rows: readonly PartRow[] }
  /** `file` gives a file of the run; `type` is empty for the type of that file. */
  | { readonly kind: 'file'; readonly file: string; readonly type: string }
  | { readonly kind: 'raw'; readonly text: string; readonly type: string };

/** A curl command as fields. All texts are templates, with their expressions unevaluated. */
export interface CurlForm {
  readonly method: string;
  /** Without its query and fragment. */
  readonly url: string;
  readonly query: readonly Pair[];
  /** Never sent, but part of the address as it is written. */
  readonly fragment: string;
  readonly headers: readonly HeaderRow[];
  readonly auth: Auth;
  readonly body: FormBody;
  readonly follow_redirects: boolean;
  readonly insecure: boolean;
  /** Seconds; empty: the longest time that the node allows. */
  readonly timeout: string;
  /** Options that change nothing, kept for tools that read the command. */
  readonly quiet: readonly string[];
}

export function emptyForm(): CurlForm {
  return {
    method: 'GET',
    url: '',
    query: [],
    fragment: '',
    headers: [],
    auth: { kind: 'none' },
    body: { kind: 'none' },
    follow_redirects: false,
    insecure: false,
    timeout: '',
    quiet: [],
  };
}

/** Why a command is shown as text only. */
export type TextOnly =
  | { readonly kind: 'unreadable'; readonly message: string }
  /** An expression brings the whole command or its whole address. */
  | { readonly kind: 'expression' }
  | { readonly kind: 'options'; readonly options: readonly string[] }
  /** A `$` that begins no expression, or text that a field would read as part of the expression before it. */
  | { readonly kind: 'dollar' }
  /** The same thing is said twice. */
  | { readonly kind: 'twice'; readonly what: string }
  /** Data options that are not one body. */
  | { readonly kind: 'body' };

/** Thrown while a form is read, never outside of it. */
export class NotShown extends Error {
  readonly reason: TextOnly;
  constructor(reason: TextOnly) {
    super(reason.kind);
    this.reason = reason;
  }
}

const CREDENTIAL = /^\$credentials(?:\.(\w+)|\[(["'])((?:(?!\2)[^\\]|\\.)+)\2\])$/s;

/** The name of the credential that a text consists of; undefined for any other text. */
export function credentialIn(text: string): string | undefined {
  const found = CREDENTIAL.exec(text.trim());
  return found?.[1] ?? found?.[3]?.replaceAll(/\\(.)/gs, '$1');
}

/** How an expression reads a credential. */
export const credentialText = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? `$credentials.${name}` : `$credentials[${JSON.stringify(name)}]`;
