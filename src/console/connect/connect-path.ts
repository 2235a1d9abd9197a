export const connectPath = '/console/connect'
