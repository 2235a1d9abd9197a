import { type NoteKey, type NoteSignature, parseSignatureLines, verifiedAt } from '../note.ts'

/**
 * The cosignature of a key among signature lines, as a witness answers them. Lines of other keys are passed over.
 * @returns undefined where there is none, or one that does not hold
 */
export function cosignatureIn(
  lines: string,
  text: string,
  key: NoteKey,
): { signature: NoteSignature; seconds: number } | undefined {
  const signatures = parseSignatureLines(lines) ?? []
  const signature = signatures.find(({ name, id }) => name === key.name && id.equals(key.id))
  const seconds = signature && verifiedAt(text, signature, key)
  return signature && seconds !== undefined ? { signature, seconds } : undefined
}
