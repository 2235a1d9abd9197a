import { join } from 'node:path'
import { installed, npmInstall, platform } from './installed.ts'

/** The runners whose programs are on the npm registry and work with a model on loopback. */
const drivenRunners = ['claude', 'codex', 'gemini', 'opencode'] as const
export type DrivenRunner = (typeof drivenRunners)[number]

interface Package {
  version: string
  packages: string[]
  /** Below `node_modules`. Of claude and opencode, `bin` would only say that no install script was run. */
  program: string
}

const codexVersion = '0.169.0'

const packages: Record<DrivenRunner, Package> = {
  claude: {
    version: '2.1.330',
    packages: ['@anthropic-ai/claude-code@2.1.330'],
    program: `@anthropic-ai/claude-code-${platform}/claude`,
  },
  codex: { version: codexVersion, packages: [`@openai/codex@${codexVersion}`], program: '.bin/codex' },
  gemini: { version: '0.61.0', packages: ['@google/gemini-cli@0.61.0'], program: '.bin/gemini' },
  opencode: {
    version: '1.18.33',
    // The second it would install into the home of each user that has a plugin.
    packages: ['opencode-ai@1.18.33', '@opencode-ai/plugin@1.18.33'],
    program: `opencode-${platform}/bin/opencode`,
  },
}

/** The folder in which a runner is installed. @throws Error with the end of npm's output */
export const runnerFolder = (runner: DrivenRunner): Promise<string> => {
  const { version, packages: names, program } = packages[runner]
  return installed(`${runner}-${version}`, join('node_modules', program), (folder) =>
    npmInstall(folder, names),
  )
}

export const programIn = (folder: string, runner: DrivenRunner): string =>
  join(folder, 'node_modules', packages[runner].program)
