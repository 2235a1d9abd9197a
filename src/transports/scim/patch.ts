import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { GivenGroup } from '../../operations/directory/groups.ts'
import { line } from '../../operations/entered-fields.ts'
import { memberId } from '../../operations/ids.ts'
import { type Attributes, attributesOf, externalIdIn, put, read, withoutUrn } from './attributes.ts'

const operationsMax = 1_000

/** One operation. Entra writes `op` with a capital; Okta leaves the path out. @source RFC 7644, section 3.5.2 */
const Patch = z.object({
  Operations: z
    .array(
      z.object({
        op: z
          .string()
          .toLowerCase()
          .pipe(z.enum(['add', 'replace', 'remove'])),
        path: z.string().max(500).transform(withoutUrn).optional(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(operationsMax),
})

type Operation = z.output<typeof Patch>['Operations'][number]

/** The operations of a PATCH. @throws GateError `invalid` */
export function operationsIn(body: unknown): Operation[] {
  const result = Patch.safeParse(body)
  if (result.success) return result.data.Operations
  throw new GateError(
    'invalid',
    `Operations must be 1 to ${operationsMax} operations, each with op add, replace or remove.`,
    { param: 'Operations' },
  )
}

/** What a PATCH of a user says. Removed attributes are empty texts. @throws GateError `invalid` */
export function patchedUser(body: unknown): Attributes {
  const found: Attributes = new Map()
  for (const { op, path, value } of operationsIn(body)) {
    if (path === undefined) {
      for (const [name, given] of attributesOf(value)) put(found, name, given)
    } else if (op !== 'remove') put(found, path, value)
    else if (/^(externalId|emails.*)$/i.test(path))
      put(found, path.toLowerCase() === 'emails' ? 'emails[type eq "work"].value' : path, '')
  }
  return found
}

const Members = z
  .array(z.object({ value: memberId }))
  .max(limits.groupMembersMax)
  .transform((list) => list.map(({ value }) => value))

const ofOne = /^members\[value eq "([^"]*)"\]$/i

/** What a PATCH of a group says. Operations count in their order. @throws GateError `invalid` */
export function patchedGroup(body: unknown): GivenGroup {
  const found: Attributes = new Map()
  const members = { replace: false, add: new Set<string>(), remove: new Set<string>() }
  const setAll = (ids: string[]) =>
    Object.assign(members, { replace: true, add: new Set(ids), remove: new Set<string>() })
  const change = (op: Operation['op'], ids: string[]) => {
    if (op === 'replace') return setAll(ids)
    for (const id of ids) {
      members[op].add(id)
      members[op === 'add' ? 'remove' : 'add'].delete(id)
    }
  }
  for (const { op, path, value } of operationsIn(body)) {
    const one = ofOne.exec(path ?? '')?.[1]
    if (one !== undefined) change(op === 'remove' ? 'remove' : 'add', membersIn([{ value: one }]))
    else if (path?.toLowerCase() === 'members')
      // Without a value: all of them.
      if (op === 'remove' && value === undefined) setAll([])
      else change(op, membersIn(value))
    else if (path !== undefined) put(found, path, op === 'remove' ? '' : value)
    else
      for (const [name, said] of attributesOf(value))
        if (name === 'members') change(op, membersIn(said))
        else put(found, name, said)
  }
  const { replace } = members
  const changes = { replace, add: [...members.add], remove: [...members.remove] }
  if (changes.add.length + changes.remove.length > limits.groupMembersMax)
    throw new GateError('invalid', `Name at most ${limits.groupMembersMax} members at once.`, {
      param: 'members',
    })
  return { ...namesIn(found), members: changes }
}

/** What a whole group says. @throws GateError `invalid` */
export function wholeGroup(body: unknown): GivenGroup & { name: string } {
  const attributes = attributesOf(body)
  const { name, externalId } = namesIn(attributes)
  if (name === undefined) throw new GateError('invalid', 'displayName is required.', { param: 'displayName' })
  return {
    name,
    externalId,
    members: { replace: true, add: membersIn(attributes.get('members') ?? []), remove: [] },
  }
}

const namesIn = (attributes: Attributes) => ({
  name: read(attributes, 'displayName', line(limits.nameCharsMax)),
  externalId: externalIdIn(attributes),
})

function membersIn(value: unknown): string[] {
  const result = Members.safeParse(Array.isArray(value) ? value : [value])
  if (result.success) return [...new Set(result.data)]
  throw new GateError(
    'invalid',
    'members must be a list of users of this directory, each with their id as value.',
    {
      param: 'members',
    },
  )
}
