import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { GateError } from '../errors.ts'
import { parseExactJson } from '../gate/json/exact-json.ts'

/** Makes a scope also accept forms with a file, of at most `bytesMax`. A file becomes the text of its field. */
export function takeFiles(scope: FastifyInstance, bytesMax: number): void {
  const multipart = { parseAs: 'buffer' as const, bodyLimit: bytesMax }
  scope.addContentTypeParser(
    'multipart/form-data',
    multipart,
    async (request: FastifyRequest, body: Buffer) => {
      const headers = { 'content-type': request.headers['content-type']! }
      const sent = await new Response(new Uint8Array(body), { headers }).formData().catch(() => {
        throw new GateError('malformed', 'The form could not be read.')
      })
      const fields = new URLSearchParams()
      // Bytes that are not UTF-8 become U+FFFD, which the reader of the field refuses.
      for (const [name, value] of sent)
        fields.append(name, typeof value === 'string' ? value : await value.text())
      return fields
    },
  )
}

/** An optional form field: browsers send an empty text, which becomes undefined. */
export const optionally = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

/** The JSON in a form's field `document`. @throws GateError `invalid` */
export function jsonDocument(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch (error) {
    throw new GateError('invalid', `document is not valid JSON: ${(error as Error).message}.`, {
      param: 'document',
    })
  }
}
