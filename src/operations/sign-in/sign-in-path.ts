/** Where a person signs in; a link to sign in is below it. */
export const signInPath = '/console/sign-in'

/** Where the people of an account sign in with their company. */
export const companyPath = (account: string): string => `${signInPath}/company/${account}`
