/**
 * The gate's action in the words of the suite; undefined if this is none.
 * @param {any} body
 * @returns {import('../index.js').Action | undefined}
 */
export function actionOf(body) {
  if (typeof body?.id !== 'number' || typeof body.status !== 'string') return undefined
  const { slack = 0, email = 0 } = body.result ?? {}
  return {
    id: body.id,
    status: body.status,
    isRunning: body.execution !== undefined,
    isAsked: body.consent_request !== undefined,
    member: body.member,
    message: body.payload?.message,
    digest: body.digest,
    expiresAt: body.expires_at,
    strength: body.consent?.strength,
    consentRequired: body.consent_required,
    delivered: body.status === 'executed' ? slack + email : undefined,
    isSandbox: body.result?.sandbox,
  }
}

/** What the gate's answer says, for both transports. @param {any} body */
export const fieldsOf = (body) => ({
  code: typeof body?.code === 'string' ? body.code : undefined,
  isOfDigest: body?.code === 'digest_mismatch',
  tier: typeof body?.tier === 'string' ? body.tier : undefined,
  action: actionOf(body),
  actions: Array.isArray(body?.actions)
    ? /** @type {import('../index.js').Action[]} */ (body.actions.map(actionOf).filter(Boolean))
    : undefined,
})

/** @param {string} text @returns {any} undefined if it is not JSON */
export function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
