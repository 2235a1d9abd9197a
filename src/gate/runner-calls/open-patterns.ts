import type { SimpleCommand } from './command/cursor.ts'
import { parseCommand } from './command/parse.ts'
import type { ToolCall } from './tool-call.ts'
import { isForPosix, sortOfField } from './tools.ts'

/**
 * Returns whether a rule may allow a field of this call by a pattern with an open part, such as `git *` or `src/**`. It may not
 * where the open part could hold more than the pattern shows: a second command, or a path with `..`. Each field is read once. Pure.
 */
export function fieldsToAllow(call: ToolCall): (field: string, value: string) => boolean {
  const known = new Map<string, boolean>()
  return (field, value) => {
    const answer = known.get(field) ?? mayBeAllowed(call, field, value)
    known.set(field, answer)
    return answer
  }
}

function mayBeAllowed(call: ToolCall, field: string, value: string): boolean {
  switch (sortOfField(call, field)) {
    case 'command':
      return isOneCommand(value) && (isForPosix(call) || plainEverywhere.test(value))
    case 'path':
      return !/(^|[\\/])\.\.([\\/]|$)/.test(value)
    default:
      return true
  }
}

/** Whether a text is one simple command, with nothing that a shell replaces, runs or redirects. */
function isOneCommand(text: string): boolean {
  const commands = parseCommand(text)
  return commands?.length === 1 && isClosed(commands[0]!)
}

const isClosed = ({ assignments, words, redirects, inputs, isNested }: SimpleCommand): boolean =>
  !isNested &&
  redirects.length + inputs.length === 0 &&
  [...assignments.map(({ value }) => value), ...words].every(({ isOpen }) => isOpen === 'no')

/** Text in which no shell finds a second command or a variable, cmd and PowerShell included. */
const plainEverywhere = /^[\w ./\\:=,+@~"-]*$/
