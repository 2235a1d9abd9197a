import { describe, expect, test } from '@jest/globals'
import { isPublic } from '../../src/network/address.ts'
import { addressesFault, checkExecutorUrl } from '../../src/executors/checked-url.ts'
import { testRows } from '../support/rows.ts'

const closed = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:a9fe:a9fe',
  '::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:a9fe:a9fe::1',
  '3fff::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
]
const open = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1']

testRows(closed)('an address of a closed network is not public', (address) => {
  expect(isPublic(address)).toBe(false)
})

testRows(open)('an address beside a closed network is public', (address) => {
  expect(isPublic(address)).toBe(true)
})

describe('the address of an executor', () => {
  const here = ['127.0.0.0/8', '::1']

  test.each([
    'https://example.com/hook',
    'https://example.com:8443/hook?x=1',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
  ])('%s may be called', (url) => {
    expect(checkExecutorUrl(url, [])).toBeUndefined()
  })

  testRows([
    ['hook', 'must be an absolute URL'],
    ['ftp://example.com/', 'must begin with https://'],
    ['file:///etc/passwd', 'must begin with https://'],
    ['http://example.com/', 'must begin with https://: http is for this machine only'],
    ['https://ada:secret@example.com/', 'must have no user name and no password'],
    ['https://example.com/#part', 'must have no fragment'],
    [`https://example.com/${'a'.repeat(2_000)}`, 'must have at most 2000 characters'],
  ])('any other address may not', (url, fault) => {
    expect(checkExecutorUrl(url, here)).toBe(fault)
  })

  // The forms in which one address can be written are one address.
  testRows([
    'https://169.254.169.254/latest/meta-data',
    'https://2852039166/',
    'https://0xa9fea9fe/',
    'https://0251.0376.0251.0376/',
    'https://[::ffff:169.254.169.254]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[::1]/',
    'http://[::1]/',
    'http://127.0.0.1/',
    'https://0/',
    'https://10.1.2.3/',
  ])('an address that is written as a number leads where it leads', (url) => {
    expect(checkExecutorUrl(url, [])).toMatch(/^must not lead to .*: it is not public/)
  })

  test('the operator allows networks, addresses and hosts, and nothing else with them', () => {
    const allowed = ['10.1.0.0/16', 'fd00::/8', '::1', 'executor.internal']
    expect(checkExecutorUrl('https://10.1.2.3/', allowed)).toBeUndefined()
    expect(checkExecutorUrl('https://[fd00::7]/', allowed)).toBeUndefined()
    expect(checkExecutorUrl('http://[::1]/', allowed)).toBeUndefined()
    expect(checkExecutorUrl('https://10.2.2.3/', allowed)).toMatch(/10\.2\.2\.3/)
    expect(checkExecutorUrl('https://[::ffff:10.1.2.3]/', allowed)).toMatch(/::ffff:a01:203/)
    expect(checkExecutorUrl('http://10.1.2.3/', allowed)).toMatch(/this machine only/)
    const at = (host: string) => new URL(`https://${host}/`)
    expect(addressesFault(at('executor.internal'), ['192.168.0.9'], allowed)).toBeUndefined()
    expect(addressesFault(at('executor.internal.'), ['192.168.0.9'], allowed)).toBeUndefined()
    expect(addressesFault(at('other.internal'), ['192.168.0.9'], allowed)).toBe('address_refused')
    expect(addressesFault(at('other.internal'), ['10.1.0.9'], allowed)).toBeUndefined()
    expect(addressesFault(at('other.internal'), ['10.1.0.9', '10.2.0.9'], allowed)).toBe('address_refused')
  })

  test('http to a name of this machine reaches this machine alone', () => {
    const url = new URL('http://localhost:3000/')
    expect(addressesFault(url, ['127.0.0.1', '::1'], here)).toBeUndefined()
    expect(addressesFault(url, ['8.8.8.8'], here)).toBe('address_refused')
    expect(addressesFault(url, ['8.8.8.8'], ['localhost'])).toBe('address_refused')
    expect(addressesFault(url, ['127.0.0.1'], [])).toBe('address_refused')
  })
})
