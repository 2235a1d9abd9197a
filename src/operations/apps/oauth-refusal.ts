import { GateError } from '../../errors.ts'

/** Codes that programs read. @source RFC 6749, section 5.2; RFC 7591, section 3.2.2; RFC 8707, section 2 */
export type OAuthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'

/** A refusal in the form of OAuth. */
export class OAuthRefusal extends GateError {
  readonly oauthCode: OAuthCode

  constructor(oauthCode: OAuthCode, sentence: string) {
    super(oauthCode === 'invalid_client' ? 'unauthenticated' : 'invalid', sentence)
    this.oauthCode = oauthCode
  }
}
