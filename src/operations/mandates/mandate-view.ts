import { leftOf } from '../../gate/mandates/outside.ts'
import { mandateKind } from '../../gate/mandates/terms.ts'
import { amounts, times } from '../../gate/mandates/words.ts'
import type { Mandate } from './mandates.ts'

/** A mandate in a list of the command line and of the administration API. Pure. */
export function viewMandate(mandate: Mandate) {
  const { action, key_name: agent, terms, uses, expires_at: expires, spent } = mandate
  const left = terms && leftOf(terms, spent)
  return {
    id: action.id,
    state: mandate.isInForce ? (mandate.frozen_at ? 'frozen' : 'in force') : 'not in force',
    member: action.member,
    agent,
    allows: terms ? terms.allows.map(({ kind }) => kind).join(', ') : mandateWords(mandate),
    used: uses,
    left: left ? [times(left.uses), amounts(left.cents)].filter(Boolean).join(', ') : '',
    until: expires?.toISOString() ?? '',
  }
}

const mandateWords = ({ action, payload: { commands = [] } }: Mandate): string =>
  action.kind === mandateKind ? 'erased' : `${commands.length} commands of a runner`
