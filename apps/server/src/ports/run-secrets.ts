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

/**
 * Credentials and global variables of the person a run is attributed to: owned, user-shared and team-shared, merged by
 * name; own beats user-shared beats team-shared. Decrypts only what is asked for.
 */
export interface RunSecrets {
  /** @param names null: all of them, for an expression that computes the name */
  credentialsByName(
    user_id: string,
    names: readonly string[] | null,
  ): Promise<ReadonlyMap<string, ResolvedCredential>>;
  credentialById(user_id: string, id: string): Promise<ResolvedCredential | undefined>;
  globalVariables(user_id: string): Promise<Readonly<Record<string, unknown>>>;
  /** Upserts a global variable of the user (§ variable node, `isGlobal`). */
  setGlobalVariable(user_id: string, name: string, value: unknown): Promise<void>;
  /** Encrypts what is stored with a run and may be seen by nobody but the run. */
  seal(text: string): string;
  /** Undefined when no configured key opens it. */
  open(sealed: string): string | undefined;
}
