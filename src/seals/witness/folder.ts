import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { claimFile, ownIdentity } from '../../data-dir/claim-file.ts'
import { readPrivateJson, writePrivateJson } from '../../data-dir/private-file.ts'
import { GateError } from '../../errors.ts'
import { noteSigner, type NoteSigner } from '../note.ts'
import { openStore, type WitnessStore } from './store.ts'

/** What a witness keeps: its key, and the last checkpoint that it cosigned of each log. */
export interface WitnessFolder {
  signer: NoteSigner
  store: WitnessStore
  /** Lets another process have the folder. */
  release(): void
}

/** `witness.json`, mode 0600. The name is part of the key's id, so neither changes alone. */
interface KeyFile {
  name: string
  /** Ed25519, PKCS#8 in base64 */
  private_key: string
}

/**
 * Claims a folder for this process, and makes the key of a new witness.
 * @param name  of the witness; a known one keeps its own
 * @param newName  of a new witness without a name
 * @throws Error or GateError that names the folder or file: another process has it, it is damaged, or is of another witness
 */
export function openWitnessFolder(
  folder: string,
  { name, newName }: { name: string | undefined; newName: string },
): WitnessFolder {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = join(folder, 'lock.json')
  claimFile(
    lock,
    { owner: ownIdentity() },
    ({ owner }) => `Another witness is running on ${folder} (process ${owner.pid}). Stop it first.`,
  )
  const release = () => rmSync(lock, { force: true })
  try {
    const signer = knownSigner(folder, name) ?? newSigner(folder, name ?? newName)
    return { signer, store: openStore(folder, signer), release }
  } catch (error) {
    release()
    throw error
  }
}

const keyFile = (folder: string): string => join(folder, 'witness.json')

function knownSigner(folder: string, name: string | undefined): NoteSigner | undefined {
  const known = readPrivateJson(keyFile(folder)) as KeyFile | undefined
  if (known === undefined || name === undefined || name === known.name) return known && cosigner(known)
  throw new GateError(
    'invalid',
    `${folder} belongs to the witness ${known.name}. Give another a folder of its own.`,
  )
}

function newSigner(folder: string, name: string): NoteSigner {
  // A new key beside old checkpoints would make this a witness that forgot them.
  if (readdirSync(folder).some((entry) => entry.includes('.checkpoint.')))
    throw new GateError(
      'invalid',
      `${keyFile(folder)} is missing, but ${folder} holds checkpoints. Restore the file.`,
    )
  const { privateKey } = generateKeyPairSync('ed25519')
  const made = {
    name,
    private_key: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  } satisfies KeyFile
  const signer = cosigner(made)
  writePrivateJson(keyFile(folder), made)
  return signer
}

function cosigner({ name, private_key: key }: KeyFile): NoteSigner {
  const der = Buffer.from(key, 'base64')
  return noteSigner(name, 0x04, createPrivateKey({ key: der, type: 'pkcs8', format: 'der' }))
}
