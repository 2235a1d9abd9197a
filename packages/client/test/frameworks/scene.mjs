/** A real gate, and members who decide: started by ../frameworks.clients.ts, which runs these programs. */
import assert from 'node:assert/strict'
import { createGate } from 'qualification-gate-client'

/** An account whose member Ada may write, and Rea may only read. */
export async function scene(options = {}) {
  const post = async (path, body) => {
    const answer = await fetch(`${process.env.GATE_MEMBERS}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json()
  }
  const { url, key, email, reader } = await post('/account', options)
  const gate = createGate({ url, key })
  return {
    gate,
    actor: { email },
    reader: { email: reader },
    /** Waits until Ada was asked so often, and decides as she does. */
    decide: (how = {}) => post('/decide', { email, ...how }),
    /** Every action of a kind. */
    async actions(kind = 'broadcast') {
      const found = []
      for await (const { id } of gate.list({ kind })) found.push(await gate.get(id))
      return found
    },
  }
}

/** Asserts that a value has everything that another one has. */
export function has(actual, expected) {
  if (typeof expected !== 'object' || expected === null) return assert.equal(actual, expected)
  assert.ok(typeof actual === 'object' && actual !== null, `${JSON.stringify(actual)} is no object`)
  for (const [name, value] of Object.entries(expected)) has(actual[name], value)
}

/** Of a broadcast, in the form that every framework takes. */
export const broadcast = {
  description: 'Send a message to every member.',
  schema: {
    type: 'object',
    properties: { message: { type: 'string', description: 'The message.' } },
    required: ['message'],
    additionalProperties: false,
  },
}

export const deletion = {
  description: 'Delete a customer.',
  schema: {
    type: 'object',
    properties: {
      customer: {
        type: 'object',
        properties: { id: { type: 'string' } },
        required: ['id'],
        additionalProperties: false,
      },
    },
    required: ['customer'],
    additionalProperties: false,
  },
}
