import { AIMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { lunch } from './scene.mjs'

/** A model that makes the calls of one turn, unless it has their results. */
export function modelOf(turn) {
  const model = fakeModel()
  for (let n = 0; n < 20; n += 1)
    model.respond((messages) =>
      messages.some(({ type }) => type === 'tool')
        ? new AIMessage('That is all.')
        : new AIMessage({ content: '', tool_calls: turn.map((call) => ({ ...call, type: 'tool_call' })) }),
    )
  return model
}

export const model = modelOf([lunch])
