export const rooms: Record<string, { is: string; imports: string[]; packages?: string[] }>
export const modules: string[]
export const devRooms: typeof rooms
export const standInsLoader: string
export const restrictedPackages: Record<string, { regex: string; at: string }>
