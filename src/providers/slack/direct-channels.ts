/** Conversations whose id is remembered. */
const slackDirectChannelsMax = 20_000

/** Slices of recipients that are remembered as all looked up. */
const slackGroupsKnownMax = 10_000

/** The conversations with the users of one workspace, and the groups of users whose conversations are all known. Bounded. */
export interface DirectChannels {
  of(user: string): string | undefined
  note(user: string, channel: string): void
  forget(user: string): void
  knowsGroup(group: string): boolean
  noteGroup(group: string): void
}

export function directChannels(): DirectChannels {
  const channels = new Map<string, string>()
  const groups = new Set<string>()
  const forget = (user: string) => {
    // Which groups the user is in is not kept: all of them are looked up again.
    if (channels.delete(user)) groups.clear()
  }
  return {
    of: (user) => channels.get(user),
    note(user, channel) {
      if (channels.size >= slackDirectChannelsMax) forget(channels.keys().next().value!)
      channels.set(user, channel)
    },
    forget,
    knowsGroup: (group) => groups.has(group),
    noteGroup(group) {
      if (groups.size >= slackGroupsKnownMax) groups.clear()
      groups.add(group)
    },
  }
}
