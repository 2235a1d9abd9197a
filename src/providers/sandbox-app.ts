/** The Slack app of the sandbox. */
export const sandboxApp = {
  clientId: 'sandbox-client',
  clientSecret: 'sandbox-secret',
  /** Only for the sandbox: a process with the real Slack does not accept it. */
  signingSecret: 'sandbox-signing-secret',
}
