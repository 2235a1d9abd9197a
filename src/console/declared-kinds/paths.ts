/** Below the policy: its rules apply to these kinds. */
export const declaredKindsPath = '/console/policies/declared'
/** Not below it, where a kind of any name has its page. */
export const declareKindPath = '/console/policies/declare'
