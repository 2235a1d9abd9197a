import { limits } from '../limits.ts'
import type { Steps } from './glob.ts'
import type { View } from './store.ts'

/** The remaining limits and the state of one walk through a workspace. */
export interface Walk {
  /** The workspace's folder, absolute and without symbolic links. */
  root: string
  view: View
  entriesLeft: number
  foldersLeft: number
  steps: Steps
  /** The folder before which the walk stopped early, ending with `/`. */
  endedBefore: string | null
  /** Parts that were too large, in words. */
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

/** Whether the walk stops before the next folder. */
export function isSpent(walk: Walk): boolean {
  return walk.foldersLeft <= 0 || walk.entriesLeft <= 0 || walk.steps.left < limits.ignoreStepsMax / 2
}

/** Whether the walk stops immediately. */
export function isStopped(walk: Walk): boolean {
  return walk.endedBefore !== null || walk.steps.left < 0
}
