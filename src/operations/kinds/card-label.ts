import { cardLabels } from '../../consent/card.ts'

// Words that the gate uses elsewhere about an action, and that a person could take for its own.
const words =
  'Action,Administrator,Agent,Approve,Approved,Approved by,Cancelled,Confirmed,Confirmed by,Consent,Decision,Decline,' +
  'Declined,Denied,Executed,Expires,Floor,Gate,Ledger,Limit,Member,Outcome,Policy,Qualification Gate,Receipt,' +
  'Required consent,Requires,Result,Risk,Rule,Sandbox,Source,Status,Tier,Verified,Written by the agent'
const reserved: string[] = [...Object.values(cardLabels), ...words.split(',')]

/**
 * Letters of European languages, digits, single spaces and few marks: no other alphabet, whose letters look like these, and no
 * colon, which ends a label.
 */
const labelForm = /^[A-Za-z0-9À-ÖØ-öø-ž][A-Za-z0-9À-ÖØ-öø-ž'()/-]*(?: [A-Za-z0-9À-ÖØ-öø-ž'()/-]+)*$/

/**
 * What is wrong with a label or a title that an administrator writes for a card; undefined: nothing. Pure.
 * @param charsMax  its length at most
 */
export function labelFault(text: string, charsMax: number): string | undefined {
  if (text.length > charsMax) return `must have at most ${charsMax} characters`
  if (!labelForm.test(text))
    return "must be one line of Latin letters, digits, single spaces and - ' ( ) / only"
  return reservedForms.has(plainForm(text))
    ? 'is a label that the gate uses itself: choose another'
    : undefined
}

/** A label without case, accents, spaces and marks: what a hurried reader sees. */
const plainForm = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[ıłøđħŧĸþðŋßæœ]/g, (letter) => lookalikes[letter]!)
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]/g, '')
    .replaceAll('0', 'o')
    .replaceAll(/[1l]/g, 'i')

const lookalikes: Record<string, string> = {
  ı: 'i',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ħ: 'h',
  ŧ: 't',
  ĸ: 'k',
  þ: 'p',
  ð: 'd',
  ŋ: 'n',
  ß: 'b',
  æ: 'ae',
  œ: 'oe',
}

const reservedForms = new Set(reserved.map(plainForm))
