import { z } from 'zod'
import type { WorkspaceStore } from '../../workspaces/store.ts'
import { PreviewFailure } from '../driver.ts'
import { frameworks } from './frameworks.ts'
import { packageOf, readJson } from './packages.ts'
import { type Script, parseScript } from './script.ts'

const packagesDeclaredMax = 1_000
const scriptHopsMax = 3

/** The command that runs a workspace, relative to its folder. */
export interface AppCommand {
  /** The arguments for `node`. */
  nodeArgs: string[]
  variables: Record<string, string>
  /** Folders of the workspace that it writes to. */
  writable: string[]
}

/**
 * Finds the command to run: the first of the scripts dev, start and preview that is a single command, otherwise server.js.
 * Node runs it directly: no shell, no npm, and nothing is installed.
 * @param listen  the address for the app to listen on
 * @throws PreviewFailure `no_command`, `dependencies_missing`
 */
export async function detectCommand(
  files: WorkspaceStore,
  listen: { host: string; port: number },
): Promise<AppCommand> {
  const found = await findScript(files)
  const missing = await missingPackages(files)
  if (missing.length > 0) throw dependenciesMissing(missing)
  if (found) return scriptCommand(files, found, listen)
  const server = await findServer(files)
  if (server !== undefined) return { nodeArgs: [server], variables: {}, writable: [] }
  throw new PreviewFailure(
    'no_command',
    `Nothing to run was found. Add a package.json with a script ${scriptNames.join(', ')} that is a single command, or add ${serverNames.join(' or ')}.`,
  )
}

const scriptNames = ['dev', 'start', 'preview']
const serverNames = ['server.js', 'server.mjs', 'server.cjs']

const PackageJson = z.object({
  scripts: z.record(z.string(), z.string()).catch({}),
  dependencies: z.record(z.string(), z.string()).catch({}),
  devDependencies: z.record(z.string(), z.string()).catch({}),
})

async function findScript(files: WorkspaceStore): Promise<Script | undefined> {
  const { scripts } = await ownPackage(files)
  for (const name of scriptNames) {
    const script = followed(scripts, name)
    if (script && serves(script)) return script
  }
  return undefined
}

/** Follows `npm run other` to the other script, a limited number of times. */
function followed(scripts: Record<string, string>, name: string): Script | undefined {
  let text = Object.hasOwn(scripts, name) ? scripts[name] : undefined
  for (let hop = 0; hop < scriptHopsMax && text !== undefined; hop++) {
    const next = /^(?:npm run|yarn run|yarn|pnpm run|pnpm) ([\w:.-]+)$/.exec(text.trim())?.[1]
    if (next === undefined) return parseScript(text)
    text = Object.hasOwn(scripts, next) ? scripts[next] : undefined
  }
  return undefined
}

/** Whether a script starts a server: `vite build` does not. */
function serves({ program, args }: Script): boolean {
  const known = frameworkOf(program)?.serves
  const verb = args[0] === undefined || args[0].startsWith('-') ? '' : args[0]
  return known === undefined || known.includes(verb)
}

const frameworkOf = (program: string) =>
  Object.hasOwn(frameworks, program) ? frameworks[program] : undefined

async function findServer(files: WorkspaceStore): Promise<string | undefined> {
  for (const name of serverNames) if (await files.stat(name)) return name
  return undefined
}

async function scriptCommand(
  files: WorkspaceStore,
  { program, args, variables }: Script,
  { host, port }: { host: string; port: number },
): Promise<AppCommand> {
  if (program === 'node') return { nodeArgs: args, variables, writable: [] }
  const { dependencies, devDependencies } = await ownPackage(files)
  const declared = Object.keys({ ...dependencies, ...devDependencies }).slice(0, packagesDeclaredMax)
  const bin = await packageOf(files, program, declared)
  if (bin === undefined) throw dependenciesMissing([program])
  const framework = frameworkOf(program)
  return {
    nodeArgs: [bin, ...args, ...(framework?.listen(host, port) ?? [])],
    variables,
    writable: await writableFolders(files, framework?.writes ?? [], args[0]),
  }
}

/** A built folder is only read; a development server writes to it. */
async function writableFolders(files: WorkspaceStore, folders: string[], verb = 'dev'): Promise<string[]> {
  if (verb !== 'start' && verb !== 'preview') return folders
  const isBuilt = await Promise.all(
    folders.map(async (folder) => {
      const { files: some } = await files.list({ after: `${folder}/`, limitFiles: 1 })
      return some[0]?.path.startsWith(`${folder}/`) ?? false
    }),
  )
  return folders.filter((_, index) => !isBuilt[index])
}

/** Declared dependencies that are not installed. */
async function missingPackages(files: WorkspaceStore): Promise<string[]> {
  const { dependencies } = await ownPackage(files)
  const names = Object.keys(dependencies).slice(0, packagesDeclaredMax)
  const missing: string[] = []
  for (const name of names) {
    if (missing.length === 5) break
    if (!(await files.stat(`node_modules/${name}/package.json`))) missing.push(name)
  }
  return missing
}

async function ownPackage(files: WorkspaceStore): Promise<z.infer<typeof PackageJson>> {
  const parsed = PackageJson.safeParse(await readJson(files, 'package.json'))
  return parsed.success ? parsed.data : { scripts: {}, dependencies: {}, devDependencies: {} }
}

function dependenciesMissing(names: string[]): PreviewFailure {
  return new PreviewFailure(
    'dependencies_missing',
    `These packages are not installed in the workspace: ${names.map((name) => name.slice(0, 100)).join(', ')}. Run npm install there first. A preview has no network, and symbolic links (as pnpm creates) are not followed.`,
  )
}
