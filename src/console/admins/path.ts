export const adminsPath = '/console/admins'
