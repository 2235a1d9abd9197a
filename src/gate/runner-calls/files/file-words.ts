import type { FileStart } from '../kept-input.ts'
import type { UnboundReason } from './found-files.ts'

/** Why a hook has not read a file that a call runs. */
export const fileProblems = ['missing', 'link', 'outside', 'no_file', 'unreadable'] as const
export type FileProblem = (typeof fileProblems)[number]

/** What is wrong with a file, for people. */
export const problemWords: Record<FileProblem, string> = {
  missing: 'there is no such file',
  link: 'not bound, it is a link',
  outside: 'not bound, it is outside the folder',
  no_file: 'not bound, it is no ordinary file',
  unreadable: 'not bound, it cannot be read',
}

/** What a consent is not bound to, for people. */
export const unboundWords: Record<UnboundReason, string> = {
  loads: 'files that these programs load',
  unread: 'what the gate cannot read in this line',
  open: 'names that the shell completes',
  folder: 'files in a folder that the gate does not know',
  outside: 'files outside the folder',
  many: 'further files, there are too many',
  hook: 'the files that it runs: this hook does not read them. Install it again',
}

/** What is shown of a file, before its name. */
export const shownWords: Record<FileStart['shows'], string> = {
  whole: 'All of',
  start: 'First lines of',
  scripts: 'Scripts of',
}
