import { limits } from '../limits.ts'
import type { Steps } from './glob.ts'
import type { View } from './store.ts'

/** One walk through a workspace: what it may still look through, and what became of it. */
export interface Walk {
  /** The workspace's folder, absolute and real. */
  root: string
  view: View
  entriesLeft: number
  foldersLeft: number
  steps: Steps
  /** The folder before which it ended early, with `/` at its end. */
  endedBefore: string | null
  /** What was too large to look through, in words. */
  leftOut: Set<string>
}

export function newWalk(root: string, view: View, bounds: { entries: number; folders: number }): Walk {
  return {
    root,
    view,
    entriesLeft: bounds.entries,
    foldersLeft: bounds.folders,
    steps: { left: limits.ignoreStepsMax },
    endedBefore: null,
    leftOut: new Set(),
  }
}

/** Whether it ends before the next folder. */
export function isSpent(walk: Walk): boolean {
  return walk.foldersLeft <= 0 || walk.entriesLeft <= 0 || walk.steps.left < limits.ignoreStepsMax / 2
}

/** Whether it ends at once. */
export function isOver(walk: Walk): boolean {
  return walk.endedBefore !== null || walk.steps.left < 0
}
