import { effectOf } from './effect.ts'
import type { SimpleCommand, Word } from './command/cursor.ts'
import { parseCommand } from './command/parse.ts'
import { folderAt, placeOf } from './paths.ts'
import { isFilter, isProjectTool } from './project-tools.ts'
import type { Runner, ToolCall } from './tool-call.ts'
import { isForPosix, kindOfTool } from './tools.ts'

const lineCharsMax = 2_000
const commandsMax = 10

/**
 * The commands of a call that runs nothing but a project's own tools in its working folder, each in its words with one space between:
 * `npm test`. null where it does anything else besides: another program, a redirection to a file, a variable, another folder. What
 * only shows a part of their output, such as `tail -20` after a pipe, is left out. Pure.
 */
export function projectCommands(call: ToolCall): string[] | null {
  const text = commandText(call)
  if (text === null || !isInProject(call)) return null
  const parsed = parseCommand(text)
  if (!parsed || parsed.length > commandsMax || !parsed.every(isPlain)) return null
  const tools = parsed.filter((command) => !(command.reads && isFilter(textsOf(command))))
  if (tools.length === 0 || !tools.every((command) => isProjectTool(textsOf(command)))) return null
  // Last, as it costs most.
  if (effectOf(call) !== 'runs') return null
  return [...new Set(tools.map((command) => textsOf(command).join(' ')))]
}

/** Runners that tell the folder in which a command runs. Others may go on to tell the first one after a `cd`. */
const tellFolder: readonly Runner[] = ['claude', 'gemini', 'opencode']

/** Fields beside the command that change nothing about what runs, or where. */
const otherFields = ['description', 'timeout', 'timeout_ms', 'run_in_background', 'is_background']

/** The command of a tool that is known to be a shell, and is told nothing else. */
function commandText(call: ToolCall): string | null {
  const kind = kindOfTool(call)
  if (kind?.does !== 'shell' || kind.hidesFolder || !tellFolder.includes(call.runner) || !isForPosix(call))
    return null
  const { input } = call
  const given = Object.keys(input).filter((name) => !otherFields.includes(name))
  const [field, ...more] = given
  if (field === undefined || more.length > 0 || !kind.commands.includes(field)) return null
  const text = input[field]
  return typeof text === 'string' && text.length <= lineCharsMax ? text : null
}

function isInProject({ cwd }: ToolCall): boolean {
  if (cwd === null || !cwd.startsWith('/') || cwd.startsWith('//')) return false
  const root = folderAt(cwd, null)
  return root !== null && placeOf('x', { root, current: [root] }) === 'inside'
}

const isPlain = ({ assignments, redirects, inputs, words, isNested, isRepeated }: SimpleCommand): boolean =>
  assignments.length + inputs.length === 0 &&
  !isNested &&
  !isRepeated &&
  words.length > 0 &&
  words.every(isKnown) &&
  redirects.every(({ writes, target }) => writes && isKnown(target) && target.text === '/dev/null')

/** A word that no shell replaces. */
const isKnown = ({
  isOpen,
  isGlob,
  zshGlob,
  isFolder,
  isSplit,
  isSeveral,
  isBound,
  isInput,
}: Word): boolean =>
  isOpen === 'no' && !isGlob && !zshGlob && !isFolder && !isSplit && !isSeveral && !isBound && !isInput

const textsOf = ({ words }: SimpleCommand): string[] => words.map(({ text }) => text)
