import { describe, expect } from '@jest/globals'
import { isLoopbackAddress, isLoopbackHost } from '../../src/network/loopback.ts'
import { testRows } from '../support/rows.ts'

describe('http may lead to this machine only', () => {
  testRows([
    'http://localhost:8790',
    'http://LOCALHOST',
    'http://127.0.0.1',
    'http://127.0.0.53:1/path',
    'http://127.255.255.255',
    'http://2130706433',
    'http://127.1',
    'http://[::1]:9',
    'http://[0:0:0:0:0:0:0:1]',
  ])('an address of the loopback is this machine', (url) =>
    expect(isLoopbackHost(new URL(url).hostname)).toBe(true),
  )

  testRows([
    'http://localhost.',
    'http://gate.localhost',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://127.evil.example',
    'http://0.0.0.0',
    'http://128.0.0.1',
    'http://10.0.0.1',
    'http://169.254.169.254',
    'http://[::]',
    'http://[::2]',
    'http://[::ffff:127.0.0.1]',
    'http://[::127.0.0.1]',
    'http://[fe80::1]',
  ])('any other is not', (url) => expect(isLoopbackHost(new URL(url).hostname)).toBe(false))

  testRows(['', 'LOCALHOST', ' localhost', '127.0.0.999', '127.0.0.1:80', '[127.0.0.1]', '[]', '[::1'])(
    'what no URL has as its host is not',
    (hostname) => expect(isLoopbackHost(hostname)).toBe(false),
  )
})

testRows([
  ['127.0.0.1', true],
  ['127.8.0.1', true],
  ['::1', true],
  ['0:0:0:0:0:0:0:1', true],
  ['[::1]', false],
  ['localhost', false],
  ['126.255.255.255', false],
  ['::ffff:127.0.0.1', false],
  ['::', false],
  ['', false],
])('an address is of this machine, or is not', (address, isHere) => {
  expect(isLoopbackAddress(address)).toBe(isHere)
})
