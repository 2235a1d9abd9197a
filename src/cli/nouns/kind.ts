import { z } from 'zod'
import { executorAllow } from '../../config.ts'
import { limits } from '../../limits.ts'
import { line } from '../../operations/entered-fields.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import { addKind, readKind, readKinds, retireKind } from '../../operations/kinds/declared-kinds.ts'
import { viewKind } from '../../operations/kinds/kind-view.ts'
import { rotateKindSecret } from '../../operations/kinds/rotate-kind-secret.ts'
import { account } from '../account-option.ts'
import { adminContextOf } from '../context.ts'
import { readJsonOption } from '../read-file-option.ts'
import { defineVerb, optional, required } from '../verb.ts'

const kind = required('KIND', line(limits.kindCharsMax), 'The declared kind', 'customer_deletion')

export const kindVerbs = {
  add: defineVerb({
    summary: 'Declare a kind of action, or a next version of it, from a document',
    options: {
      account,
      file: required(
        'FILE',
        z.string().min(1, 'must name a file'),
        'JSON file with the document: see docs/declare-a-kind.md',
        'kind.json',
      ),
    },
    run: async (context, given) =>
      addKind(
        adminContextOf(context, given.account),
        readJsonOption('file', given.file, limits.kindDocumentCharsMax),
        executorAllow(context.config()),
      ),
    text: ({ kind, version, isNew, needs_secret: needsSecret }: Awaited<ReturnType<typeof addKind>>) =>
      [
        isNew
          ? `Kind ${kind} declared: version ${version} is in force.`
          : `Nothing changed: version ${version} of ${kind} has the same document.`,
        ...(needsSecret
          ? [
              `Until its calls can be signed, they are refused. Make the secret: \`gate kind secret --kind ${kind}\`.`,
            ]
          : []),
      ].join('\n'),
  }),

  list: defineVerb({
    summary: 'List the declared kinds, retired ones too',
    options: { account },
    empty: (of) => `No declared kinds. Declare one with \`gate kind add${of} --file kind.json\`.`,
    run: async (context, given) => (await readKinds(adminContextOf(context, given.account))).map(viewKind),
  }),

  show: defineVerb({
    summary: 'Show the document of a declared kind',
    options: {
      account,
      kind,
      version: optional(
        'N',
        wholeNumber(1, limits.kindVersionMax),
        'Its version; if absent: the newest',
        '2',
      ),
    },
    async run(context, given) {
      const row = await readKind(adminContextOf(context, given.account), given.kind, given.version)
      return { ...viewKind(row), digest: row.digest, created_by: row.created_by, document: row.document }
    },
    text: ({ document, ...row }: { document: unknown }) =>
      [
        ...Object.entries(row)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => `${name}: ${value instanceof Date ? value.toISOString() : String(value)}`),
        '',
        JSON.stringify(document, null, 2),
      ].join('\n'),
  }),

  retire: defineVerb({
    summary: 'Retire a declared kind: nothing of it can be proposed or confirmed until it is added again',
    options: { account, kind },
    run: async (context, given) =>
      viewKind(await retireKind(adminContextOf(context, given.account), given.kind)),
  }),

  secret: defineVerb({
    summary:
      'Make the secret that signs the calls of a kind and show it once; the one before it signs too for a day',
    options: { account, kind },
    run: async (context, given) =>
      rotateKindSecret(adminContextOf(context, given.account), context.secretsKeys(), given.kind),
    text: ({ secret }: { secret: string }) => secret,
  }),
}
