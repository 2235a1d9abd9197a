import { expect, test } from '@jest/globals'
import { lookAlikeHosts } from '../../src/text/look-alike-hosts.ts'
import { testRows } from '../support/rows.ts'

testRows<[string, string, string | undefined]>([
  ['Pay at https://аpple.com/id', 'xn--pple-43d.com', 'apple.com'],
  ['gооgle.com', 'xn--ggle-55da.com', 'google.com'],
  ['https://www.раураl.com:8443/x?y', expect.stringMatching(/^www\.xn--l-/) as never, 'www.paypal.com'],
  ['аррӏе.com', 'xn--80ak6aa92e.com', 'apple.com'],
  ['xn--80ak6aa92e.com', 'xn--80ak6aa92e.com', 'apple.com'],
  ['ada@XN--PPLE-43D.com', 'xn--pple-43d.com', 'apple.com'],
  ['ada@exаmple.com', 'xn--exmple-4nf.com', 'example.com'],
  ['https://%D0%B0pple.com', 'xn--pple-43d.com', 'apple.com'],
  ['о\u200Bogle.com', expect.stringMatching(/^xn--ogle-/) as never, 'oogle.com'],
  ['https://gооgle/', 'xn--ggle-55da', 'google'],
  ['аpple。com', 'xn--pple-43d.com', 'apple.com'],
  ['xn--e1awd7f.com', 'xn--e1awd7f.com', 'epic.com'],
  ['goοgle.com', expect.stringMatching(/^xn--/) as never, 'google.com'],
  ['gօօgle.com', expect.stringMatching(/^xn--/) as never, 'google.com'],
  ['ɡoogle.com', expect.stringMatching(/^xn--/) as never, 'google.com'],
  ['g૦૦gle.com', expect.stringMatching(/^xn--/) as never, undefined as never],
  ['googleノlogin.evil.com', expect.stringMatching(/xn--/) as never, undefined],
  ['пaypal.com', expect.stringMatching(/^xn--/) as never, undefined],
  ['РАУРАL.com', expect.stringMatching(/^xn--/) as never, 'paypal.com'],
  ['ѕсоре.com', expect.stringMatching(/^xn--/) as never, 'scope.com'],
  ['paypaⅼ.com', 'paypal.com', 'paypal.com'],
  ['https://mⅰcrosoft.com/x', 'microsoft.com', 'microsoft.com'],
  ['ᴘaypal.com', 'xn--aypal-439a.com', 'paypal.com'],
  ['ɢɪᴛʜᴜʙ.com', expect.stringMatching(/^xn--/) as never, 'github.com'],
  ['google․com', 'no host that exists', 'google.com'],
  ['ada@login﹒example.org', 'no host that exists', 'login.example.org'],
  ['exampIe.com', 'exampie.com', 'example.com'],
  ['ada@paypaI.support', 'paypai.support', 'paypal.support'],
  ['https://www.googIe.co.uk/a', 'www.googie.co.uk', 'www.google.co.uk'],
  ['example.соm', expect.stringMatching(/xn--/) as never, 'example.com'],
])('a host that looks like another one is found: %s', (text, ascii, like) => {
  const [found, ...others] = lookAlikeHosts(`Please open ${text} now.`)
  expect([found?.ascii, others]).toEqual([ascii, []])
  if (like !== undefined) expect(found!.like).toBe(like)
})

testRows([
  'https://apple.com and ada@example.com',
  'https://bücher.example/straße, fußball.de, naïve.org, łódź.pl',
  'https://пример.рф и почта@пример.рф',
  'Привет. Готово.Дальше т.е. и т.д. в google.com',
  '例え.テスト 日本語.jp 東京tokyo.jp 请访问google.com吧',
  '한국어.kr google.com에서',
  'مثال.إختبار उदाहरण.परीक्षा παράδειγμα.δοκιμή',
  'ｅｘａｍｐｌｅ.com and 𝐠oogle.com lead to what they seem',
  'xn--bcher-kva.example xn--e1afmkfd.xn--p1ai',
  'no hosts: a.b, 3.14, ... , v1.2.3, %41.%42, м.б., и.о.',
  'LinkedIn.com OpenAI.com https://myAI.company.io/AI IBM.com Ikea.com IETF.org I.am.com',
  'rowI.value = maxI.toString(); const fooI.bar; chapter Ⅳ. Then Ⅶ.',
  '...。。。...@@//%%',
])('other hosts and texts are not: %s', (text) => {
  expect(lookAlikeHosts(text)).toEqual([])
})

test('each host is told once, and a long text is read', () => {
  expect(lookAlikeHosts('аpple.com, https://аpple.com/x and xn--pple-43d.com')).toHaveLength(1)
  for (const part of ['а.', 'а', 'xn--', '%D0%B0.', '。', 'а@//'])
    expect(lookAlikeHosts(part.repeat(20_000)).length).toBeLessThan(20_001)
})
