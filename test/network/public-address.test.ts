import { expect, test } from '@jest/globals'
import { publicUrl, readConfig } from '../../src/config.ts'
import { publicAddress, warnOfGuess } from '../../src/network/public-address.ts'

const listening = 'http://127.0.0.1:4711'

test.each([
  ['PUBLIC_URL', { PUBLIC_URL: 'https://gate.example', PORT: '0' }, 'https://gate.example'],
  ['HOST and PORT', { HOST: '0.0.0.0', PORT: '8790' }, 'http://localhost:8790'],
])('%s decides where links lead, whatever listens', (_, env, url) => {
  const address = publicAddress(publicUrl(readConfig(env)))
  expect(address.publicUrl()).toBe(url)
  address.listensAt(listening)
  expect(address.publicUrl()).toBe(url)
})

test('with PORT 0 nothing is guessed: where the API listens decides it, once', () => {
  const address = publicAddress(publicUrl(readConfig({ PORT: '0' })))
  expect(() => address.publicUrl()).toThrow('PUBLIC_URL must be set if PORT is 0')
  address.listensAt(listening)
  address.listensAt('http://127.0.0.1:9')
  expect(address.publicUrl()).toBe(listening)
})

test('a worker says by name what decides where its links lead, and does not start where nothing does', () => {
  const warned: string[] = []
  const log = { warn: (line: string) => warned.push(line) }
  const check = (env: Record<string, string>) => {
    const config = readConfig(env)
    warnOfGuess({ config, log, ...publicAddress(publicUrl(config)) })
  }
  check({ PUBLIC_URL: 'https://gate.example' })
  expect(warned).toEqual([])
  check({})
  expect(warned).toEqual([expect.stringMatching(/^PUBLIC_URL is not set\. .* http:\/\/127\.0\.0\.1:8787\./)])
  expect(() => check({ PORT: '0' })).toThrow('PUBLIC_URL must be set')
})
