import { expect } from '@jest/globals'
import type { PublishedCode } from '../../src/errors.ts'

/** The whole body of an error answer. */
export const errorBody = (code: PublishedCode, error: unknown = expect.any(String), param?: unknown) => ({
  error,
  code,
  ...(param === undefined ? {} : { param }),
  request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
})
