import { generateKeyPairSync } from 'node:crypto'

import { expect, test } from '@jest/globals'

import {
  checkpointText,
  formatNote,
  noteSigner,
  parseCheckpoint,
  parseNote,
  parseVkey,
  signNote,
  verifiedAt,
  verifiedKeys,
  vkeyOf,
} from '../../src/seals/note.ts'

const signerOf = (name: string, type: 0x01 | 0x04) =>
  noteSigner(name, type, generateKeyPairSync('ed25519').privateKey)

const checkpoint = { origin: 'gate.example/epochs', size: 7, root: Buffer.alloc(32, 9) }

test('the public vector of a signed note verifies, and no other text does', () => {
  const key = parseVkey('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k')!
  const text = 'This is an example message.\n'
  const line = 'Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM='
  const note = parseNote(`${text}\n— example.com/foo ${line}\n`)!
  expect(verifiedAt(note.text, note.signatures[0]!, key)).toBe(0)
  expect(verifiedAt('This is another message.\n', note.signatures[0]!, key)).toBeUndefined()
})

test('a key survives its written form', () => {
  const signer = signerOf('gate.example/epochs', 0x01)
  expect(parseVkey(vkeyOf(signer))?.id).toEqual(signer.id)
  expect(parseVkey(vkeyOf(signer).replace('epochs', 'others'))).toBeUndefined()
})

test('a checkpoint with a signature and a cosignature is read back, with the time of the cosignature', () => {
  const log = signerOf(checkpoint.origin, 0x01)
  const witness = signerOf('witness.example', 0x04)
  const text = checkpointText(checkpoint)
  const note = parseNote(
    formatNote({ text, signatures: [signNote(text, log), signNote(text, witness, 1_700_000_000)] }),
  )!
  expect(parseCheckpoint(note.text)).toEqual(checkpoint)
  expect(verifiedKeys(note, [log, witness])?.map(({ seconds }) => seconds)).toEqual([0, 1_700_000_000])
  expect(verifiedKeys(note, [signerOf(checkpoint.origin, 0x01)])).toEqual([])
})

test('a note is refused as a whole where the signature of a known key does not hold', () => {
  const log = signerOf(checkpoint.origin, 0x01)
  const text = checkpointText(checkpoint)
  const signature = signNote(text, log)
  signature.bytes[3]! ^= 1
  expect(verifiedKeys({ text, signatures: [signNote(text, log), signature] }, [log])).toBeUndefined()
})

test.each([
  ['a leading zero in the size', 'a\n07\nCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=\n'],
  ['no origin', '\n7\nCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=\n'],
  ['a short root', 'a\n7\nCQkJ\n'],
  ['no newline at the end', 'a\n7\nCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk='],
])('no checkpoint: %s', (_, text) => {
  expect(parseCheckpoint(text)).toBeUndefined()
})

test.each([
  ['no empty line', 'a\n— b AAAAAAA=\n'],
  ['a line that is no signature', 'a\n\nb\n'],
  ['no newline at the end', 'a\n\n— b AAAAAAA='],
  ['a control byte', 'a\u0001\n\n— b AAAAAAA=\n'],
])('no note: %s', (_, note) => {
  expect(parseNote(note)).toBeUndefined()
})
