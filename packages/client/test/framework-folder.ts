import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../src/process/root.ts'
import { installed, npmInstall } from '../../../test/support/installed.ts'

export const clientPackages = ['openapi-fetch@0.17.0', 'zod@4.6.7']
export const langchainPackages = [
  '@langchain/core@1.4.0',
  '@langchain/langgraph@1.7.3',
  'langchain@1.5.14',
  ...clientPackages,
]

/** A folder as after an installation of the client and these packages, with the test programs. */
export async function folderWith(name: string, packages: string[]): Promise<string> {
  const cached = `js-${packages.join('-').replaceAll(/[@/]+/g, '-')}`
  const from = await installed(cached, 'node_modules/openapi-fetch/package.json', async (into) => {
    writeFileSync(join(into, 'package.json'), '{"type":"module","private":true}')
    await npmInstall(into, packages)
  })
  const folder = join(projectRoot, 'build/frameworks', name.replaceAll(/[@/]+/g, '-'))
  const modules = join(folder, 'node_modules')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(modules, 'qualification-gate-client'), { recursive: true })
  for (const each of readdirSync(join(from, 'node_modules')).filter((file) => !file.startsWith('.')))
    symlinkSync(join(from, 'node_modules', each), join(modules, each))
  for (const part of ['lib', 'package.json'])
    cpSync(join(projectRoot, 'packages/client', part), join(modules, 'qualification-gate-client', part), {
      recursive: true,
    })
  cpSync(join(projectRoot, 'packages/client', 'test/frameworks'), folder, { recursive: true })
  return folder
}
