import { mapConcurrent } from '../../waiting/map-concurrent.ts'
import type { AddressBook, NotDone } from '../ports.ts'
import { type Workspace, openAhead } from './direct-message.ts'

/** Opens the conversations with users ahead of their messages, at most `atOnce` at the same time. */
export function addressBook(workspace: Workspace, atOnce: number): AddressBook {
  const { directChannels } = workspace
  return {
    knows: (group) => directChannels.knowsGroup(group),
    async lookUp(group, users, waits) {
      const notDone = new Map<string, NotDone>()
      await mapConcurrent(atOnce, users, async (user) => {
        const failure = await openAhead(workspace, user, waits)
        if (failure) notDone.set(user, failure)
      })
      if (notDone.size === 0) directChannels.noteGroup(group)
      return notDone
    },
  }
}
