import { expect } from '@jest/globals'
import { ruleDocument } from '../../../src/operations/upstreams/rule-document.ts'
import { testRows } from '../../support/rows.ts'

const amount = { cents: '/money/cents', currency: '/currency' }

testRows<[string, Record<string, unknown>, string | undefined]>([
  ['texts', { editable: ['/title', '/body-text'] }, undefined],
  ['nothing', { editable: [] }, undefined],
  ['one twice', { editable: ['/title', '/title'] }, 'must not name an argument twice'],
  ['inside of one', { editable: ['/issue/title'] }, 'must name an argument, such as /title'],
  ['the subject', { editable: ['/customer'], subject: '/customer' }, 'must not name the amount'],
  ['what has the amount', { editable: ['/money'], amount }, 'must not name the amount'],
  ['the currency', { editable: ['/currency'], amount }, 'must not name the amount'],
  ['beside the amount', { editable: ['/mon'], amount }, undefined],
  ['of calls that are passed on', { rule: 'allow', editable: ['/title'] }, 'is for the rule confirm'],
])('a rule lets a member change arguments of a call that is consented to', (_what, rule, problem) => {
  const parsed = ruleDocument.safeParse({ rule: 'confirm', ...rule })
  const said = parsed.error?.issues.map(({ message }) => message).join('; ')
  if (problem === undefined) expect(said).toBeUndefined()
  else expect(said).toContain(problem)
})
