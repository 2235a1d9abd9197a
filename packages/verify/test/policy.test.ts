import { describe, expect, test } from '@jest/globals'
import { PolicyError, isNoteSignedBy, readPolicy, verifyFile } from '../lib/verify.mjs'
import { newAccount, newGate, newKey, policyOf, sealer, signatureLine, vkeyOf } from './log.ts'
import { testRows } from '../../../test/support/rows.ts'

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

const gate = newGate('gate.example.com', 3)
const account = newAccount(5)
const { proof } = sealer(gate)
const log = `log ${vkeyOf(gate.key)}`
const [w1, w2, w3] = gate.witnesses.map((key, i) => `witness W${i + 1} ${vkeyOf(key)}`)
const stranger = `witness X ${vkeyOf(newKey('x.example', 4))}`
const second = `witness Y ${vkeyOf(newKey('y.example', 4))}`
const verdictUnder = (...lines: string[]) =>
  verifyFile(bytesOf(proof(account, 3)), { policy: `${lines.join('\n')}\n` })

describe('a policy', () => {
  testRows([
    ['a witness', [log, w1, 'quorum W1'], true],
    ['a witness that did not cosign', [log, w1, stranger, 'quorum X'], false],
    ['any of a group', [log, w1, stranger, 'group g any X W1', 'quorum g'], true],
    ['all of a group', [log, w1, stranger, 'group g all X W1', 'quorum g'], false],
    ['two of three', [log, w1, w2, stranger, 'group g 2 X W1 W2', 'quorum g'], true],
    [
      'two of three, of which one cosigned',
      [log, w1, stranger, second, 'group g 2 X W1 Y', 'quorum g'],
      false,
    ],
    [
      'groups of groups',
      [log, w1, w2, w3, stranger, 'group a any X W1', 'group b all W2 W3', 'group c all a b', 'quorum c'],
      true,
    ],
    ['none', [log, 'quorum none'], true],
    [
      'comments, tabs, empty lines and addresses',
      ['# keys', '', `\t${log} https://gate.example.com/`, `  ${w1}\thttps://w.example  `, 'quorum\tW1'],
      true,
    ],
  ])('is met by the quorum that it names', async (_, lines, isMet) => {
    const verdict = await verdictUnder(...(lines as string[]))
    expect(verdict.ok).toBe(isMet)
    if (!verdict.ok) expect(verdict.problem).toContain('is not met: its seal is cosigned by')
  })

  testRows([
    ['no quorum', [log], /no quorum line/],
    ['two quorums', [log, 'quorum none', 'quorum none'], /line 3 .* a second quorum/],
    ['an unknown word', [log, 'quroum none'], /line 2 .*quroum is not/],
    ['a quorum that is defined below', [log, 'quorum W1', w1], /line 2/],
    ['a member that is not defined', [log, 'group g any W1', 'quorum g'], /line 2 .*W1 is not defined above/],
    ['a name twice', [log, w1, w2!.replace('W2', 'W1'), 'quorum none'], /line 3 .*W1 is taken/],
    ['the name none', [log, w1!.replace('W1', 'none'), 'quorum none'], /none is taken/],
    ['a member of two groups', [log, w1, 'group a any W1', 'group b any W1', 'quorum b'], /already a member/],
    ['a threshold of 0', [log, w1, 'group g 0 W1', 'quorum g'], /threshold/],
    ['a threshold above the members', [log, w1, 'group g 2 W1', 'quorum g'], /threshold/],
    ['a threshold that objects have', [log, w1, 'group g constructor W1', 'quorum g'], /threshold/],
    ['an empty group', [log, 'group g any', 'quorum g'], /group NAME/],
    ['a log twice', [log, log, 'quorum none'], /another line has the same key/],
    [
      'a witness twice',
      [log, w1, w1!.replace('W1', 'W9'), 'quorum none'],
      /another log or witness has the same key/,
    ],
    [
      'the key of a witness for a log',
      [w1!.replace('witness W1', 'log'), 'quorum none'],
      /must be of type 1/,
    ],
    [
      'the key of a log for a witness',
      [log.replace('log', 'witness W1'), 'quorum none'],
      /must be of type 4/,
    ],
    [
      'a key whose id is another one',
      [log.replace(/\+(.)/, (_, digit) => `+${digit === '0' ? '1' : '0'}`), 'quorum none'],
      /line 1 .*log VKEY/,
    ],
    ['too many words', [`${log} https://a https://b`, 'quorum none'], /line 1/],
    ['lines that end as on Windows', [`${log}\r`, 'quorum none\r'], /control character/],
    ['more than it may have', ['quorum none', ...Array.from({ length: 2_000 }, () => '#')], /too long/],
  ])('is refused with a line that cannot be read', async (_, lines, problem) => {
    const policy = (lines as string[]).join('\n')
    expect(() => readPolicy(policy)).toThrow(PolicyError)
    expect(() => readPolicy(policy)).toThrow(problem)
    await expect(verifyFile(bytesOf(proof(account, 3)), { policy })).rejects.toThrow(PolicyError)
  })

  test('of another log says that it has no such log', async () => {
    const other = policyOf(newGate('other.example.com', 0))
    expect(await verifyFile(bytesOf(proof(account, 3)), { policy: other })).toEqual({
      ok: false,
      place: 'seq 3',
      problem: 'the policy has no log gate.example.com/ledger/acct_0123456789ABCDEF',
    })
  })

  test('is needed for an export and a proof', async () => {
    await expect(verifyFile(bytesOf(proof(account, 3)), {})).rejects.toThrow(/need --policy/)
    await expect(verifyFile(bytesOf('{}\n'), {})).rejects.toThrow(/need --policy/)
  })
})

describe('a signed note', () => {
  // The vector of C2SP signed-note.
  const vkey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
  const text = 'This is an example message.\n'
  const signature =
    'Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM='
  const note = `${text}\n— example.com/foo ${signature}\n`

  test('of the specification verifies, and no change of it does', async () => {
    expect(await isNoteSignedBy(note, vkey)).toBe(true)
    expect(await isNoteSignedBy(note.replace('This', 'That'), vkey)).toBe(false)
    expect(await isNoteSignedBy(note.replace('Uw2Q', 'Vw2Q'), vkey)).toBe(false)
    expect(await isNoteSignedBy(note.replace('Iney', 'Inez'), vkey)).toBe(false)
    expect(await isNoteSignedBy(note, vkey.replace('foo', 'fop')).catch(String)).toContain(
      'is not a verifier key',
    )
  })

  test('with other signatures beside it verifies; with a known one that is wrong it does not', async () => {
    const other = newKey('other.example', 1)
    const more = Array.from({ length: 20 }, (_, i) => signatureLine(text, newKey(`k${i}.example`, 1)))
    expect(await isNoteSignedBy(`${note}${more.join('')}`, vkey)).toBe(true)
    expect(await isNoteSignedBy(note + signatureLine('another text\n', other), vkeyOf(other))).toBe(false)
    const wrong = signature.replace('Iney', 'Inez')
    expect(await isNoteSignedBy(`${note}— example.com/foo ${wrong}\n`, vkey)).toBe(false)
  })

  testRows([
    ['no signatures', text],
    ['no empty line', `${text}— example.com/foo ${signature}\n`],
    ['no newline at its end', note.slice(0, -1)],
    ['a hyphen for the dash', note.replace('—', '-')],
    ['two spaces', note.replace('foo ', 'foo  ')],
    ['base64 with spare bits', note.replace('yaQM=', 'yaQN=')],
    ['base64 without padding', note.replace('yaQM=', 'yaQM')],
    ['a carriage return', note.replace('\n\n', '\r\n\r\n')],
    ['too many signatures', note + note.split('\n\n')[1]!.repeat(64)],
    ['too many characters', 'x'.repeat(70_000) + note],
  ])('is none with anything malformed', async (_, changed) => {
    expect(await isNoteSignedBy(changed, vkey)).toBe(false)
  })
})
