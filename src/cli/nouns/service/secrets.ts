import { rewrapSecrets } from '../../../operations/maintenance/rewrap-secrets.ts'
import { errorSentence } from '../../refusals.ts'
import { defineVerb } from '../../verb.ts'

interface Rewrapped {
  rewrapped: number
  /** Secrets that were not changed: their key is unknown, or they were altered. */
  unreadable: number
}

export const secretsVerbs = {
  rewrap: defineVerb({
    summary:
      'Encrypt every stored credential and key of receipts under the first key of SECRETS_KEYS, so that older keys can be removed',
    options: {},
    async run(context): Promise<Rewrapped> {
      const total = { rewrapped: 0, unreadable: 0 }
      // Each reason is reported once, with the first secret it applies to.
      const places = new Map<string, string>()
      for await (const { rewrapped, failures } of rewrapSecrets(context.db(), context.secretsKeys())) {
        total.rewrapped += rewrapped
        total.unreadable += failures.length
        for (const { place, error } of failures) {
          const reason = errorSentence(error)
          if (!places.has(reason)) places.set(reason, place)
        }
      }
      for (const [reason, place] of places) context.say(`${place}: ${reason}`)
      return total
    },
    refusal: ({ rewrapped, unreadable }: Rewrapped) =>
      unreadable === 0
        ? null
        : `${unreadable} credentials could not be decrypted and were not changed. ${rewrapped} were rewrapped.`,
  }),
}
