const tasks = new Set()

/**
 * Does something once the test file that runs has ended: its module stays loaded, and so does all that its variables hold.
 * @param {() => void} task
 */
export const atEndOfFile = (task) => void tasks.add(task)

export function endFile() {
  for (const task of tasks) task()
  tasks.clear()
}
