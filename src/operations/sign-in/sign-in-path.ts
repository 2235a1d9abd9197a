/** Where a person signs in; a link to sign in is below it. */
export const signInPath = '/console/sign-in'
