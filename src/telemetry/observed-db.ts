import type { Db } from '../db/connect.ts'
import type { Register } from './register.ts'

/** A database whose statements are counted and timed. */
export function observedDb(db: Db, register: Register): Db {
  let underWay = 0
  const show = () => register.set('gate_database_statements', underWay)
  const timed = async <T>(statement: () => Promise<T>): Promise<T> => {
    const beganAt = performance.now()
    let outcome = 'failed'
    underWay++
    show()
    try {
      const rows = await statement()
      outcome = 'ok'
      return rows
    } finally {
      underWay--
      show()
      const seconds = (performance.now() - beganAt) / 1_000
      register.observe('gate_database_statement_seconds', { outcome }, seconds)
    }
  }
  return {
    ...db,
    read: (statement) => timed(() => db.read(statement)),
    run: (statement) => timed(() => db.run(statement)),
    once: (statement) => timed(() => db.once(statement)),
  }
}
