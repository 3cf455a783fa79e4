/** Codes of RFC 6749 sections 4.1.2.1 and 5.2, RFC 7591 section 3.2.2 and RFC 8707 section 2. */
export type OauthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata';

/** A refusal in the words of OAuth. */
export class OauthError extends Error {
  readonly code: OauthErrorCode;

  constructor(code: OauthErrorCode, message: string) {
    super(message);
    this.name = 'OauthError';
    this.code = code;
  }
}
