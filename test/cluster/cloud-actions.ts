/** What of an event counts here. */
export interface HistoryEvent {
  eventType: string
  markerRecordedEventAttributes?: { workflowTaskCompletedEventId?: string }
}

const billed: Record<string, string> = {
  EVENT_TYPE_WORKFLOW_EXECUTION_STARTED: 'start',
  EVENT_TYPE_TIMER_STARTED: 'timer',
  EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED: 'signal',
  EVENT_TYPE_ACTIVITY_TASK_SCHEDULED: 'activity',
  EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES: 'search attributes',
}

/**
 * Counts the billable actions of Temporal Cloud in a history, by type. All local activities of one workflow task are one.
 * Heartbeats and retries of activities, of which a history says nothing, are not in it.
 * @source https://docs.temporal.io/evaluate/cloud/actions
 */
export function cloudActions(events: readonly HistoryEvent[]): Record<string, number> {
  const counts: Record<string, number> = {}
  const count = (what: string) => void (counts[what] = (counts[what] ?? 0) + 1)
  const tasksWithMarkers = new Set<string>()
  for (const { eventType, markerRecordedEventAttributes: marker } of events) {
    const what = billed[eventType]
    if (what) count(what)
    const task = marker?.workflowTaskCompletedEventId
    if (task === undefined || tasksWithMarkers.has(task)) continue
    tasksWithMarkers.add(task)
    count('local activities')
  }
  return counts
}

export const totalOf = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((sum, n) => sum + n, 0)
