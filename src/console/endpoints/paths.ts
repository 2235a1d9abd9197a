export const endpointsPath = '/console/endpoints'
export const endpointPath = (id: string): string => `${endpointsPath}/${id}`
