import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that holds package.json: the same whether this runs from `src` or from `dist`. */
export const projectRoot: string = findUp(dirname(fileURLToPath(import.meta.url)))

function findUp(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('No package.json above the program: the installation is incomplete.')
  return findUp(parent)
}

/** Whether a module is the program that was started, not one that was imported. */
export function isProgram(moduleUrl: string): boolean {
  return process.argv[1] !== undefined && fileURLToPath(moduleUrl) === realpathSync(process.argv[1])
}
