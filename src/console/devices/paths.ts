/** The page that lists a member's devices, beside their sessions. */
export const devicesPath = '/console/sessions'

export const newDevicePath = '/console/devices/new'

export const removeDevicePath = (id: string): string => `/console/devices/${id}/remove`
