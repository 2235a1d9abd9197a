import type { NoteSignature, SignedNote } from '../note.ts'

/** Witnesses of the epochs. */
export interface Cosigners {
  /**
   * Asks each to cosign a checkpoint. One that was cosigned already costs nothing.
   * @param consistency  the proof between two sizes of the tree of epochs
   */
  ask(
    note: SignedNote,
    consistency: (from: number, to: number) => Promise<readonly Buffer[]> | readonly Buffer[],
  ): Promise<CosignReport>
}

export interface CosignReport {
  cosignatures: NoteSignature[]
  /** Witnesses whose cosignature is missing. */
  missing: string[]
  isQuorum: boolean
  /** Whether a quorum cosigned, or knows nothing of this log. */
  isHeard: boolean
  /** A witness that holds another history, so that nothing more may be signed; null: none. */
  conflict: { witness: string; state: 'ahead' | 'forked'; size: number } | null
}
