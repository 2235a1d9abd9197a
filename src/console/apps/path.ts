/** The page of connected apps. */
export const appsPath = '/console/apps'
