/** Says that a gate sends a request, for an agent of its own: a gate that is asked so calls no server behind it, so nothing loops. */
export const gateHeader = 'x-gate-upstream-call'
