export const rooms: Record<
  string,
  { is: string; imports: string[]; packages?: string[]; floors?: string[][] }
>
export const modules: string[]
export const processes: Record<string, string[]>
export const restrictedPackages: Record<string, { regex: string; at: string }>
