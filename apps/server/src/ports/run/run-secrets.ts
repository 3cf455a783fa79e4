import type { Masker } from '@millrace/engine';

/** A credential as a run sees it. */
export interface ResolvedCredential {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** Value of `$credentials.<name>`; absent for types that expressions may not read (§2.7). */
  readonly expression_value: string | undefined;
  /** Decrypted configuration, for the node that names the credential. */
  readonly config: Record<string, unknown>;
  /** Every secret string in it; all of them are masked on every way out (§5.8). */
  readonly secrets: readonly string[];
}

/** The use that a credential is asked for. */
export interface CredentialUse {
  /** A model router that the person can see: what it names is theirs to use, as far as its owner can see it. */
  readonly through?: string | undefined;
  /** An access token that the service has refused; a new one is asked for. */
  readonly refused?: string | undefined;
}

/** Runs statements inside of one transaction; the database's `SqlClient` fits. */
export interface Transaction {
  query<Row>(statement: { text: string; values: unknown[] }): Promise<{ rows: Row[] }>;
}

/** Global variables as a run reads them. */
export interface RunGlobals {
  readonly values: Readonly<Record<string, unknown>>;
  /** The same with credential values masked, as people see them. */
  readonly shown: Readonly<Record<string, unknown>>;
  /** Credential values in them, which the reader may not be able to resolve; hidden like the reader's own. */
  readonly secrets: readonly string[];
}

/** The value that a run leaves in a global variable. */
export interface GlobalWrite {
  readonly name: string;
  /** Masked (§5.8). */
  readonly value: unknown;
  /** The value itself, encrypted, where the mask changed it. */
  readonly sealed_value: string | null;
  /** Added to what is stored; `value` counts only where that is no number. */
  readonly by?: number;
}

/** Every secret value that a person's credentials hold, and what hides them. */
export interface SecretSet {
  readonly values: ReadonlySet<string>;
  /** Undefined when there is nothing to hide. */
  readonly masker: Masker | undefined;
}

export const NO_SECRETS: SecretSet = Object.freeze({ values: new Set<string>(), masker: undefined });

/**
 * Credentials and global variables of the person a run is attributed to: owned, user-shared and team-shared, merged by
 * name; own beats user-shared beats team-shared. Decrypts only what is asked for.
 */
export interface RunSecrets {
  /**
   * Everything that masking hides: the values of every credential that the person can resolve, whether a graph names it
   * or not. Answers without a promise when it is known.
   */
  getSecrets(user_id: string): SecretSet | Promise<SecretSet>;
  /** @param names null: all of them, for an expression that computes the name */
  credentialsByName(
    user_id: string,
    names: readonly string[] | null,
  ): Promise<ReadonlyMap<string, ResolvedCredential>>;
  /** @throws NodeFailure when its sign-in has ended, or cannot be renewed now */
  credentialById(user_id: string, id: string, use?: CredentialUse): Promise<ResolvedCredential | undefined>;
  globalVariables(user_id: string): Promise<RunGlobals>;
  /**
   * Upserts a global variable of the user (§ variable node, `isGlobal`).
   *
   * @param tx the transaction that ends the run, so that the variable is written exactly when the run ends here
   */
  setGlobalVariable(tx: Transaction, user_id: string, write: GlobalWrite): Promise<void>;
  /** `sealed_value` of a value that holds one of the secrets. */
  sealGlobal(value: unknown, secrets: Iterable<string>): string;
  /** Why a run cannot store the value; undefined when it can. */
  refusesGlobal(name: string, value: unknown): string | undefined;
  /** Encrypts what is stored with a run and may only be seen by that run. */
  seal(text: string): string;
  /** Undefined when no configured key opens it. */
  open(sealed: string): string | undefined;
}
