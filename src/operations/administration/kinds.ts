import { z } from 'zod'
import { executorAllow } from '../../config.ts'
import { limits } from '../../limits.ts'
import { line } from '../entered-fields.ts'
import { addKind as add, readKind, readKinds, retireKind as retire } from '../kinds/declared-kinds.ts'
import { viewKind } from '../kinds/kind-view.ts'
import { defineAdmin } from './admin-operation.ts'
import { Document, listOf } from './parts.ts'

const path = '/api/v1/admin/kinds'
const kind = line(limits.kindCharsMax)
const deletion = { kind: 'customer_deletion', version: 1, title: 'Delete a customer', executor: 'claim' }

const listKinds = defineAdmin({
  name: 'list_kinds',
  title: 'List declared kinds',
  summary: 'Lists the kinds that the account declared, retired ones too.',
  http: { method: 'GET', path },
  power: 'admin:kinds.read',
  input: z.strictObject({}),
  output: listOf('kinds'),
  errors: ['forbidden'],
  example: { input: {}, output: { kinds: [deletion] } },
  run: async (context) => ({ kinds: (await readKinds(context)).map(viewKind) }),
})

const getKind = defineAdmin({
  name: 'get_kind',
  title: 'Read a declared kind',
  summary: 'Reads a declared kind with its document.',
  http: { method: 'GET', path: `${path}/{kind}`, integers: ['version'] },
  power: 'admin:kinds.read',
  input: z.strictObject({
    kind,
    version: z
      .int()
      .min(1)
      .max(limits.kindVersionMax)
      .optional()
      .meta({ description: 'Absent: the newest.' }),
  }),
  output: Document,
  errors: ['forbidden', 'not_found', 'invalid'],
  example: { input: { kind: deletion.kind }, output: { ...deletion, document: { kind: deletion.kind } } },
  async run(context, given) {
    const row = await readKind(context, given.kind, given.version)
    return { ...viewKind(row), digest: row.digest, created_by: row.created_by, document: row.document }
  },
})

const addKind = defineAdmin({
  name: 'add_kind',
  title: 'Declare a kind',
  summary: 'Declares a kind of action, or a next version of it, from a document.',
  http: { method: 'POST', path },
  power: 'admin:kinds.write',
  input: z.strictObject({ document: Document }),
  output: Document,
  errors: ['forbidden', 'conflict', 'invalid'],
  example: {
    input: { document: { kind: deletion.kind } },
    output: { kind: deletion.kind, version: 1, isNew: true },
  },
  run: (context, { document }) => add(context, document, executorAllow(context.deps.config)),
})

const retireKind = defineAdmin({
  name: 'retire_kind',
  title: 'Retire a declared kind',
  summary: 'Retires a kind: nothing of it can be proposed or confirmed until it is declared again.',
  http: { method: 'POST', path: `${path}/{kind}/retire` },
  power: 'admin:kinds.write',
  input: z.strictObject({ kind }),
  output: Document,
  errors: ['forbidden', 'not_found', 'invalid'],
  example: {
    input: { kind: deletion.kind },
    output: { ...deletion, retired_at: '2026-11-28T10:00:00.000Z' },
  },
  run: async (context, given) => viewKind(await retire(context, given.kind)),
})

export const kindOperations = { listKinds, getKind, addKind, retireKind }
