import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { adminPowers } from '../../src/keys/admin-powers.ts'
import type { ApprovalRule } from '../../src/gate/approvals/rule.ts'
import { changeGroupMembers } from '../../src/operations/groups/groups.ts'
import { mintKey } from '../../src/operations/keys/mint-key.ts'
import { gateOn } from '../cli/gate-command.ts'
import { apiClient } from '../support/api-client.ts'
import { signedInAdmin } from '../support/console.ts'
import { formOf } from '../support/form-of.ts'
import { addPasskey, passkeySite } from '../support/passkeys.ts'
import { useConsole } from '../support/use-gate.ts'
import { approvalScene } from './scene.ts'

const gate = useConsole({ env: { PUBLIC_URL: passkeySite } })

/** Every place that explains a policy, or shows what a new one would do. */
async function explainScene(rule: Partial<ApprovalRule> = {}) {
  const one = await approvalScene(gate, rule)
  const { serviceUrl, ownerUrl } = gate.database
  const cli = gateOn({ DATABASE_URL: serviceUrl, DATABASE_OWNER_URL: ownerUrl })
  const { apiKey } = await mintKey(one.administration, {
    name: 'office',
    expiresAt: null,
    actors: [],
    rights: { powers: [...adminPowers] },
  })
  const admin = apiClient(gate.api.url, apiKey)
  const root = await signedInAdmin(gate, one.account)
  const question = { kind: 'broadcast', tier: 'guarded_write' }
  const post = async (path: string, body: object) =>
    (await admin.request('POST', `/api/v1/admin/policies/${path}`, { body })).body
  const command = (verb: string, ...options: string[]) =>
    cli('policy', verb, '--account', one.account, '--json', ...options)
  return {
    ...one,
    root,
    post,
    command,
    document: (approvals: Partial<ApprovalRule>) => ({
      kinds: {
        broadcast: {
          tier: 'guarded_write',
          consent: 'agent_attested',
          approvals: { ...one.rule, ...approvals },
        },
      },
    }),
    /** What program and command line say, which must be the same, and the page of the console. */
    async explained() {
      const byProgram = await post('explain', question)
      const byCommand = (await command('explain', '--kind', 'broadcast', '--tier', 'guarded_write')).json
      expect(byCommand).toEqual(byProgram)
      const page = await root.open(`/console/policies/explain?${new URLSearchParams(question)}`)
      return { ...byProgram, page: page.text }
    },
  }
}

test('who must approve is explained with how many can now, and a warning where these are too few', async () => {
  const one = await explainScene({ escalate_after_minutes: 480, escalate_to: { tier: 'guarded_write' } })
  const { bea, cy, dan } = one.people
  const enough = await one.explained()
  expect(enough).toMatchObject({
    approvals: [
      `2 approvals of the group ${one.group}, beside the member's own consent`,
      'not of members that the agent acts for',
      'each with page or stronger',
      'after 8 hours also of members with the tier guarded_write or a higher one',
    ],
    approvers: { needed: 2, eligible: 3, eligible_after_escalation: 4 },
  })
  expect(enough.approvers).not.toHaveProperty('warning')
  expect(enough.page).toContain('Can approve now 3 of 2 needed, 4 after it escalates')

  // Cy is Bea by another name, so they are one person.
  await one.setIdentity(cy, { email: bea.email!.replace('@', '+cy@') })
  const just = await one.explained()
  expect(just.approvers).toMatchObject({ eligible: 2, warning: expect.stringMatching(/^Exactly as many/) })

  await one.setActive(dan, false)
  const short = await one.explained()
  const warning =
    'Only 1 of the 2 people needed can approve now. It waits until it escalates, 8 hours after the consent. Add approvers, or change the rule.'
  expect(short.approvers).toEqual({ needed: 2, eligible: 1, eligible_after_escalation: 2, warning })
  expect(short.page).toContain(`1 of 2 needed, 2 after it escalates. ${warning}`)

  await one.setTier(one.people.ada, 'read_only')
  expect((await one.explained()).approvers.warning).toContain('waits until it expires')
})

test('a policy under review says it before it is set, and the command line as it is set', async () => {
  const one = await explainScene()
  const { bea, cy, dan } = one.people
  // The fallback counts where the group is too small, and where it is not needed it does not.
  const fallback = { members: [one.people.ada.memberId] }
  expect((await one.post('review', { document: one.document({ fallback }) })).approvers).toMatchObject([
    { kind: 'broadcast', needed: 2, eligible: 3 },
  ])
  await changeGroupMembers(one.administration, one.group, { remove: [bea.memberId, cy.memberId] })
  const narrow = one.document({ fallback })
  const said = /Exactly as many people can approve now as are needed/
  expect((await one.post('review', { document: narrow })).approvers).toMatchObject([
    { eligible: 2, warning: expect.stringMatching(said) },
  ])
  const path = '/console/policies/json'
  const { html } = await one.root.open(path)
  const document = JSON.stringify({ ...narrow, version: (await one.command('show')).json.version })
  const page = await one.root.send(path, { ...formOf(html, path), document })
  expect(page.text).toMatch(/Approvers .*broadcast 2 approvals of the group .* 2 of 2 needed/)
  expect(page.text).toMatch(said)

  // Only with a passkey that the policy takes now.
  const signed = one.document({ needed: 1, min_strength: 'passkey' })
  const [counted] = (await one.post('review', { document: signed })).approvers
  expect(counted).toMatchObject({ eligible: 0, warning: expect.stringContaining('with a passkey') })
  await addPasskey(await one.browserOf('dan'))
  const settled = { ...signed, passkey_settles_after_hours: 0 }
  expect((await one.post('review', { document: settled })).approvers).toMatchObject([{ eligible: 1 }])
  expect((await one.post('review', { document: signed })).approvers).toMatchObject([{ eligible: 0 }])

  const file = join(process.env['TEST_RUN_DIR'] ?? '/tmp', `policy-${one.account}.json`)
  writeFileSync(file, JSON.stringify(narrow))
  await one.setActive(dan, false)
  const set = await one.command('set', '--file', file, '--without-approvals', '--note', 'Nobody is left.')
  expect([set.code, set.stderr]).toEqual([
    0,
    'broadcast: Only 1 of the 2 people needed can approve now. An action under this rule waits until it expires. Add approvers, or change the rule.\n',
  ])
})
