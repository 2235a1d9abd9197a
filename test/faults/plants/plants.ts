import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Bugs that the model must find, planted into one run: into a copy of the compiled program, or into the functions of that
 * run's database. A replacement whose text is not found fails: the product has changed, and the plant must be adapted.
 */
export interface Plant {
  /** What is wrong, in words. */
  bug: string
  /** The change of the compiled program, by its path below `dist/src`. */
  program?: { file: string; replace: Replacement[] }
  /** The changes of functions of the database, by their names. */
  functions?: Record<string, Replacement[]>
}
type Replacement = readonly [was: string, becomes: string]

export const plants = {
  'effect-before-intent': {
    bug: 'a slice is sent before it is stored that it is being sent',
    functions: {
      'gate.step_delivery': [
        [`    states = delivery.states\n`, `    states = d.states\n`],
        [
          `  returning * into delivery;\nend`,
          `  returning * into delivery;\n  delivery.states := array_replace(delivery.states, 'pending', 'sending');\nend`,
        ],
        [
          `      and d.attempt = p_attempt and ('sending' = any (d.states) or 'not_recorded' = any (d.codes));`,
          `      and d.attempt = p_attempt;`,
        ],
        [`          when u.was = 'sending' then u.state\n`, `          when true then u.state\n`],
      ],
      'gate_private.record_slices': [[`('sending' = any (d.states) or d.states = r.states)`, `true`]],
    },
  },
  'lost-notify-is-end': {
    bug: 'an end that was not notified within a second is answered as if the action had ended',
    program: {
      file: 'operations/actions/wait-for-execution.js',
      replace: [
        [
          `await end.within(Math.min(limits.executionPollMs, leftMs), signal);`,
          `if (!(await end.within(Math.min(limits.executionPollMs, leftMs), signal)))
                    return { ...claimed, status: 'executed', executed_at: new Date() };`,
        ],
      ],
    },
  },
  'claim-without-versions': {
    bug: 'a confirm is claimed although tier or policy changed after they were read',
    functions: {
      'gate_private.confirm_obstacle': [
        [
          `m.version <> p_member_version or c.curricula_version <> p_curricula_version\n      or c.policy_version <> p_policy_version`,
          `false`,
        ],
      ],
    },
  },
  'repeat-with-new-id': {
    bug: 'the repeat of a webhook has an id of its own',
    program: {
      file: 'actions/declared/webhook/attempt.js',
      replace: [
        [
          `id: callIdOf(row), secrets`,
          'id: call.attempts > 1 ? `${row.uuid}.call-${call.attempts}` : callIdOf(row), secrets',
        ],
      ],
    },
  },
  'claim-given-twice': {
    bug: 'an action that one executor has claimed is given to the next one too',
    functions: {
      'gate.claim_action': [
        [`    when claim.state = 'held' then 'held'\n`, ``],
        [
          `claim_action.lease_expires_at, holder.key_id, p_token);`,
          `claim_action.lease_expires_at, holder.key_id, p_token)\n    on conflict on constraint claim_pkey do update set token = excluded.token;`,
        ],
      ],
    },
  },
  'receipt-of-another': {
    bug: 'a process keeps the receipts that it signed by their member, and shows that of another action',
    program: {
      file: 'receipts/receipts.js',
      replace: [['const name = `${row.uuid} ${key.kid}`', 'const name = `${row.member_id} ${key.kid}`']],
    },
  },
  'debit-not-counted': {
    bug: 'what was used of a mandate before does not count',
    program: {
      file: 'db/queries/actions/mandates.js',
      replace: [[`where b.account_id = t.id and b.mandate_id = m.action_id`, `where false`]],
    },
    functions: {
      'gate_private.draw_mandate': [
        [
          `left join gate.mandate_debit d on d.account_id = p_account`,
          `left join gate.mandate_debit d on false`,
        ],
      ],
    },
  },
  'frozen-mandate-used': {
    bug: 'a frozen mandate is used',
    program: {
      file: 'gate/mandates/outside.js',
      replace: [[`if (isFrozen)`, `if (false)`]],
    },
    functions: {
      'gate_private.draw_mandate': [
        [`held.ended_at is null and held.frozen_at is null`, `held.ended_at is null`],
      ],
    },
  },
  'approval-too-few': {
    bug: 'one approval fewer than the rule asks for suffices',
    functions: { 'gate_private.take_approval': [[`given_now < needed then`, `given_now < needed - 1 then`]] },
  },
  'deputy-counted-beside': {
    bug: 'a deputy and the one they approve for count as two people',
    program: {
      file: 'operations/approvers/tally.js',
      replace: [
        [`.some((person) => people.has(person));\n    const counts`, `.length === 0;\n    const counts`],
      ],
    },
    functions: {
      'gate_private.approvals_counted': [[`continue when people && own_people;`, ``]],
    },
  },
  'passkey-of-no': {
    bug: 'a passkey that signed a no is taken for a yes',
    program: {
      file: 'ledger/consents/evidence.js',
      replace: [[`if (client.challenge !== challenge.toString('base64url'))`, `if (false)`]],
    },
    functions: {
      'gate_private.take_passkey': [
        [
          `(given.client_data::jsonb ->> 'challenge')\n    is distinct from rtrim(translate(encode(signed, 'base64'), '+/', '-_'), '=')\n`,
          `false\n`,
        ],
      ],
    },
  },
} as const satisfies Record<string, Plant>

export type PlantName = keyof typeof plants

export function plantOf(name: string): Plant {
  const found = (plants as Record<string, Plant>)[name]
  if (!found) throw new Error(`There is no bug ${name}. There are: ${Object.keys(plants).join(', ')}.`)
  return found
}

/** Copies the compiled program with the bug in it. @returns its folder; the given one where the bug is not in the program */
export function plantInProgram({ program: planted }: Plant, program: string, folder: string): string {
  if (!planted) return program
  const copy = join(folder, 'program')
  cpSync(program, copy, { recursive: true, verbatimSymlinks: true })
  const file = join(copy, 'dist', 'src', planted.file)
  writeFileSync(file, replaced(readFileSync(file, 'utf8'), planted.replace, planted.file))
  return copy
}

/** Replaces the functions of a migrated database. @param sql  as its superuser */
export async function plantInDatabase(
  { functions = {} }: Plant,
  sql: <T>(text: string) => Promise<T[]>,
): Promise<void> {
  for (const [name, replace] of Object.entries(functions)) {
    const [found] = await sql<{ text: string }>(`select pg_get_functiondef('${name}'::regproc) as text`)
    await sql(replaced(found!.text, replace, name))
  }
}

function replaced(text: string, replace: readonly Replacement[], where: string): string {
  return replace.reduce((now, [was, becomes]) => {
    if (now.split(was).length !== 2) throw new Error(`Not once in ${where}: ${was}`)
    return now.replace(was, () => becomes)
  }, text)
}
