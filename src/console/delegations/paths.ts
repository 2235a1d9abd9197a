export const delegationsPath = '/console/delegations'
export const endDelegationPath = (id: string): string => `${delegationsPath}/${id}/end`
