import { expect } from '@jest/globals'
import { requireSafeAddress } from '../../src/console/safe-address.ts'
import { testRows } from '../support/rows.ts'

const refusal = (publicUrl: string, hostname: string) => () =>
  requireSafeAddress({ publicUrl: () => publicUrl } as never, { hostname } as never)

testRows([
  ['https://gate.example', 'gate.example'],
  ['https://gate.example', '10.0.0.7'],
  ['http://localhost:8787', 'localhost'],
  ['http://127.0.0.1:8787', '127.0.0.1'],
  ['http://127.0.0.1:8787', '[::1]'],
  ['http://gate.localhost:8787', 'gate.localhost'],
])('a session may travel over https, and within this machine', (publicUrl, hostname) => {
  expect(refusal(publicUrl, hostname)).not.toThrow()
})

testRows([
  ['http://gate.example', 'gate.example'],
  ['http://gate.example', 'localhost'],
  ['http://localhost:8787', 'gate.example'],
  ['http://localhost:8787', '192.168.1.7'],
  ['http://localhost:8787', '127.0.0.1.evil.example'],
  ['http://localhost:8787', 'localhost.evil.example'],
  ['http://localhost:8787', 'evillocalhost'],
  ['http://localhost:8787', '.localhost'],
  ['http://localhost:8787', ''],
])('a session may not travel in the clear, nor to another host', (publicUrl, hostname) => {
  expect(refusal(publicUrl, hostname)).toThrow('must be the https address')
})
