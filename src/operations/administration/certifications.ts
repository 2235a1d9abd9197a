import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { standing } from '../../gate/tier.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { line, slug } from '../entered-fields.ts'
import { curriculumOf } from '../members/certification-now.ts'
import { recordPass } from '../members/record-pass.ts'
import { revokePasses } from '../members/revoke-passes.ts'
import { Capability } from '../schemas.ts'
import { type AdminCall, defineAdmin } from './admin-operation.ts'
import { member, memberOf, time } from './parts.ts'
import { type Passed, Statement, passedIn } from './xapi.ts'

const path = '/api/v1/admin/certifications'
const Certification = Capability.shape.certifications.element
const module = z.int().min(1).max(limits.modulesMax)
const passed = {
  curriculum: 'safe-sending',
  title: 'Safe sending',
  certified: false,
  modules_passed: 1,
  modules_total: 4,
  last_passed_at: '2026-11-28T10:00:00.000Z',
}
const named = { member: 'grace@example.com', curriculum: 'safe-sending' }

const listCertifications = defineAdmin({
  name: 'list_certifications',
  title: 'List certifications',
  summary: "Lists a member's certifications, one for each curriculum.",
  http: { method: 'GET', path },
  power: 'admin:certifications.read',
  input: z.strictObject({ member }),
  output: z.object({ certifications: z.array(Certification) }),
  errors: ['forbidden', 'not_found', 'invalid'],
  example: { input: { member: named.member }, output: { certifications: [passed] } },
  run: async (context, given) => ({
    certifications: standing(await memberOf(context, given.member)).certifications,
  }),
})

const recordCertification = defineAdmin({
  name: 'record_certification',
  title: 'Record a pass',
  summary:
    'Records that a member passed a module, or all of a curriculum. With `external_id` or an Idempotency-Key, a repeat records nothing more.',
  http: { method: 'POST', path },
  power: 'admin:certifications.write',
  isKeyed: true,
  input: z.strictObject({
    member,
    curriculum: slug,
    module: module.optional().meta({ description: 'Absent: every module.' }),
    at: time.optional().meta({ description: 'When it was passed. Absent: now.' }),
    external_id: line(limits.idempotencyKeyCharsMax).optional().meta({
      description:
        'Of the pass in the learning system. Whatever key sends it again, nothing more is recorded.',
    }),
  }),
  output: Certification,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: {
    input: { ...named, module: 1, external_id: 'course-42-attempt-7' },
    output: passed,
  },
  run: (context, { external_id: externalId, at, ...given }) =>
    record(context, { ...given, at: at === undefined ? null : new Date(at) }, externalId),
})

const recordStatement = defineAdmin({
  name: 'record_statement',
  title: 'Record an xAPI statement',
  summary:
    'Records what a statement with the verb `passed` or `completed` says. Its object ends with `/curricula/{slug}`, or with `/curricula/{slug}/modules/{n}`; its actor has a `mbox`. A repeat of its `id` records nothing more.',
  http: { method: 'POST', path: `${path}/statements` },
  power: 'admin:certifications.write',
  input: z.strictObject({ statement: Statement }),
  output: Certification,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: {
    input: {
      statement: {
        id: '6b1f0c52-5a3e-4d0f-9a54-1f1f0a6a7c11',
        actor: { mbox: 'mailto:grace@example.com' },
        verb: { id: 'http://adlnet.gov/expapi/verbs/passed' },
        object: { id: 'https://learn.example.com/curricula/safe-sending/modules/1' },
        timestamp: '2026-11-28T10:00:00Z',
      },
    },
    output: passed,
  },
  run: (context, { statement }) => record(context, passedIn(statement), `xapi ${statement.id.toLowerCase()}`),
})

const revokeCertification = defineAdmin({
  name: 'revoke_certification',
  title: 'Revoke passes',
  summary: 'Revokes the pass of one module, or all passes of a curriculum.',
  http: { method: 'POST', path: `${path}/revoke` },
  power: 'admin:certifications.write',
  input: z.strictObject({
    member,
    curriculum: slug,
    module: module.optional().meta({ description: 'Absent: every module.' }),
  }),
  output: Certification,
  errors: ['forbidden', 'not_found', 'invalid'],
  example: { input: named, output: { ...passed, modules_passed: 0, last_passed_at: null } },
  run: async (context, { curriculum, module: one = null, ...given }) =>
    revokePasses(context, await memberOf(context, given.member), { curriculum, module: one }),
})

/** @param externalId  names the pass; undefined: the Idempotency-Key of the request does, if it has one */
async function record(
  context: AdminCall,
  { curriculum, module: one, at, ...given }: Passed,
  externalId: string | undefined,
): Promise<z.input<typeof Certification>> {
  const found = await memberOf(context, given.member)
  const { modules } = curriculumOf(found, curriculum)
  const all = one === undefined ? Array.from({ length: modules }, (_, n) => n + 1) : [one]
  let certification: z.input<typeof Certification> | undefined
  for (const n of all) {
    const event = eventOf(context, externalId, n)
    certification = await recordPass(context, found, { curriculum, module: n, at, ...event })
  }
  return certification!
}

/** One entry for each module of what is named, however often it is sent. */
function eventOf(
  { account, idempotencyKey }: AdminCall,
  externalId: string | undefined,
  n: number,
): { eventId?: string } {
  if (externalId !== undefined) return { eventId: eventId(`${account} certification`, externalId, n) }
  if (idempotencyKey === undefined) return {}
  if (!/^[\u0021-\u007e]+$/.test(idempotencyKey) || idempotencyKey.length > limits.idempotencyKeyCharsMax)
    throw new GateError('invalid', 'The Idempotency-Key must be visible ASCII characters.', {
      param: 'Idempotency-Key',
    })
  return { eventId: eventId(`${account} certification key`, idempotencyKey, n) }
}

export const certificationOperations = {
  listCertifications,
  recordCertification,
  recordStatement,
  revokeCertification,
}
