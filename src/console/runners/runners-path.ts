export const runnersPath = '/console/runners'
