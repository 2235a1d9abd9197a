export const groupsPath = '/console/groups'
export const groupPath = (id: string): string => `${groupsPath}/${id}`
