/** The signed-in person behind a request. */
export interface Actor {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly is_admin: boolean;
  /** Session that the request came with; absent for work that no request started. */
  readonly session_id?: string;
}
