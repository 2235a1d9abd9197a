import { parseNote, verifiedAt } from '../note.ts'
import { isQuorum, type TrustPolicy } from '../trust-policy.ts'

/** Which witnesses of a policy have cosigned a checkpoint. */
export interface Witnessed {
  cosigned: { witness: string; at: Date }[]
  missing: string[]
  isQuorum: boolean
}

/** @param note  of a checkpoint, with its signatures. Each is verified */
export function witnessedBy(policy: TrustPolicy, note: string): Witnessed {
  const { text, signatures } = parseNote(note) ?? { text: '', signatures: [] }
  const cosigned = policy.witnesses.flatMap(({ name: witness, key }) => {
    const times = signatures.map((signature) => verifiedAt(text, signature, key))
    const seconds = times.find((time) => time !== undefined)
    return seconds === undefined ? [] : [{ witness, at: new Date(seconds * 1_000) }]
  })
  const names = new Set(cosigned.map(({ witness }) => witness))
  return {
    cosigned,
    missing: policy.witnesses.map(({ name }) => name).filter((name) => !names.has(name)),
    isQuorum: isQuorum(policy, names),
  }
}
