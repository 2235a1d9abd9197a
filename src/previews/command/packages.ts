import { z } from 'zod'
import type { WorkspaceStore } from '../../workspaces/store.ts'

const packageJsonBytesMax = 1_048_576

/**
 * Finds the file of a program in an installed package: the target of `node_modules/.bin`, without following links.
 * @param declared  the packages that may contain it, besides the package of the same name
 * @returns its path in the workspace; undefined if no package contains it
 */
export async function packageOf(
  files: WorkspaceStore,
  program: string,
  declared: string[],
): Promise<string | undefined> {
  for (const name of [program, ...declared.filter((other) => other !== program)]) {
    const bin = await binOf(files, name, program)
    if (bin !== undefined) return bin
  }
  return undefined
}

const Package = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]).optional() })

async function binOf(files: WorkspaceStore, name: string, program: string): Promise<string | undefined> {
  const folder = `node_modules/${name}`
  const parsed = Package.safeParse(await readJson(files, `${folder}/package.json`))
  const bin = parsed.success ? parsed.data.bin : undefined
  const isOwnName = name.split('/').at(-1) === program
  const file = typeof bin === 'string' ? (isOwnName ? bin : undefined) : ownValue(bin, program)
  if (file === undefined) return undefined
  const path = `${folder}/${file.replace(/^(?:\.\/)+/, '')}`
  // A path outside the workspace is not a file of it.
  return (await files.stat(path)) ? path : undefined
}

const ownValue = (record: Record<string, string> | undefined, name: string): string | undefined =>
  record && Object.hasOwn(record, name) ? record[name] : undefined

/** @returns undefined if the file does not exist, is too large, or is not JSON */
export async function readJson(files: WorkspaceStore, path: string): Promise<unknown> {
  const range = { offsetBytes: 0, lengthBytes: packageJsonBytesMax }
  const read = await files.readRange(path, range)
  if (!read || read.file.sizeBytes > packageJsonBytesMax) return undefined
  try {
    return JSON.parse(read.bytes.toString('utf8').replace(/^\u{FEFF}/u, ''))
  } catch {
    return undefined
  }
}
