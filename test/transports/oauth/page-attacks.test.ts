import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { answerDocument } from '../../support/app-home.ts'
import { answerApp, authorization, codeIn, fieldsOn, leadsTo } from '../../support/connected-app.ts'
import { linkByMail, signedInByMail, visitor } from '../../support/console.ts'
import { type AttackScene, attackScene } from './attack-scene.ts'

let scene: AttackScene
beforeAll(async () => {
  scene = await attackScene()
})
afterAll(() => scene.stop())

test('a request without PKCE, with a weaker one, for another server or to another address is shown, never sent on', async () => {
  const { client, redirect } = scene.home
  for (const changed of [
    { code_challenge: undefined },
    { code_challenge_method: 'plain' },
    { code_challenge_method: undefined },
    { resource: 'https://other.example/mcp' },
    { resource: `${scene.base}/mcp/x` },
    { response_type: 'token' },
    { redirect_uri: `${redirect}.evil.example` },
    { redirect_uri: `${redirect}/more` },
    { redirect_uri: 'https://chat.example:8443/callback' },
    { redirect_uri: 'https://chat.example/Callback' },
    { redirect_uri: 'https://CHAT.example/callback' },
    { redirect_uri: 'https://chat.example@evil.example/callback' },
    { redirect_uri: 'https://chat.example%2fcallback' },
    { redirect_uri: 'https://chat.example/%63allback' },
    { redirect_uri: 'https://chat.example/callback#x' },
    { redirect_uri: 'https://chat.example/x/../callback' },
    { redirect_uri: 'http://chat.example/callback' },
    { redirect_uri: 'javascript:alert(1)' },
    { client_id: `${client}?` },
    { client_id: `${scene.home.url}/../client.json` },
  ]) {
    const page = await scene.opened(changed)
    const at = [changed, page.headers.get('location'), page.headers.get('refresh')]
    expect(at).toEqual([changed, null, null])
    expect([404, 422]).toContain(page.status)
    // Nor by the page of the console, whose form may be made up.
    const fields = Object.fromEntries(
      new URL(authorization(client, redirect, changed).path, scene.base).searchParams,
    )
    const { form_of } = await freshForm()
    const sent = await scene.ada.send('/console/apps/connect', {
      ...fields,
      form_of: form_of!,
      answer: 'decline',
    })
    expect(sent.status).not.toBe(303)
    expect(sent.headers.get('location')).toBeNull()
  }
})

/** The fields of a form that was not sent. */
const freshForm = async () => {
  const { path } = authorization(scene.home.client, scene.home.redirect)
  return fieldsOn(await scene.ada.open(leadsTo(await scene.ada.open(path))))
}

test('a name with invisible or look-alike characters is not shown: the host stands in its place', async () => {
  const { home } = scene
  for (const [n, name] of [
    'Ch\u0430tGPT',
    'Chat\u202Etpg',
    'Chat\u0000',
    'A\u200BB',
    'x'.repeat(101),
    'Ch\uFF41tGPT',
    '\u{1D402}hatGPT',
    'Chat \u24BCPT',
  ].entries()) {
    const client: string = home.serve(`/name-${n}.json`, (response) =>
      answerDocument(response, { client_id: client, client_name: name, redirect_uris: [home.redirect] }),
    )
    const page = await scene.ada.open(leadsTo(await scene.opened({}, client)))
    const { host } = new URL(home.url)
    expect(page.text).toContain(`App ${host} Asks from ${host} Gets its access at chat.example`)
  }
})

test('the page that asks cannot be framed, and only a form of the session itself connects', async () => {
  const { path } = authorization(scene.home.client, scene.home.redirect)
  const to = leadsTo(await scene.ada.open(path))
  const page = await scene.ada.open(to)
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(page.headers.get('x-frame-options')).toBe('DENY')
  const form = fieldsOn(page)
  const other = await scene.gate.account()
  await other.addMember({ email: 'eve@example.com' })
  const eve = await signedInByMail(scene.gate, 'eve@example.com')
  const ofEve = fieldsOn(await eve.open(to))
  const before = await scene.grants()
  // Opening it, from a mail or anywhere, connects nothing, whatever the address says.
  await scene.ada.open(`${to}&answer=connect`)
  for (const fields of [
    { ...form, form_of: undefined },
    { ...form, form_of: ofEve['form_of'] },
    { ...form, form_of: '' },
  ]) {
    const present = Object.fromEntries(
      Object.entries(fields).filter(([, value]) => value !== undefined),
    ) as Record<string, string>
    expect((await scene.ada.send('/console/apps/connect', { ...present, answer: 'connect' })).status).toBe(
      422,
    )
  }
  const fromOutside = await fetch(new URL('/console/apps/connect', scene.base), {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'sec-fetch-site': 'cross-site',
      cookie: [...scene.ada.cookies].map((pair) => pair.join('=')).join('; '),
      'x-forwarded-for': '10.9.9.9',
    },
    body: new URLSearchParams({ ...form, answer: 'connect' }),
  })
  expect(fromOutside.status).toBe(403)
  expect(await scene.grants()).toBe(before)
})

test('a session that somebody else put into the browser before a person signs in connects nothing for them', async () => {
  const { home, gate } = scene
  const other = await gate.account()
  await other.addMember({ email: 'mallory@example.com' })
  const mallory = await signedInByMail(gate, 'mallory@example.com')
  const victim = visitor(gate)
  for (const [name, value] of mallory.cookies) victim.cookies.set(name, value)
  const { path } = authorization(home.client, home.redirect)
  const planted = fieldsOn(await victim.open(leadsTo(await victim.open(path))))
  const link = await linkByMail(gate, victim, 'ada@example.com')
  expect((await victim.send(link)).status).toBe(303)
  // Neither the planted session nor the form of its page is of use for the person who has signed in.
  const before = await scene.grants()
  expect((await victim.send('/console/apps/connect', { ...planted, answer: 'connect' })).status).toBe(422)
  for (const [name, value] of mallory.cookies) expect(victim.cookies.get(name)).not.toBe(value)
  expect(await scene.grants()).toBe(before)
  const page = await victim.open(leadsTo(await victim.open(path)))
  expect(page.text).toContain('Acts for Ada')
})

test('a refusal that goes back to the app names the issuer, and a link from a mail asks before it connects', async () => {
  const { home, base } = scene
  const { path } = authorization(home.client, home.redirect)
  const declined = await answerApp(scene.ada, path, { answer: 'decline' })
  const back = new URL(declined.headers.get('location')!)
  expect([back.searchParams.get('error'), back.searchParams.get('iss')]).toEqual([
    'access_denied',
    `${base}/oauth`,
  ])
  const before = await scene.grants()
  for (const more of ['', '&answer=connect', '&prompt=none', '&form_of=x'])
    expect(codeIn(await scene.ada.open(`${path}${more}`))).toBe('')
  expect(await scene.grants()).toBe(before)
})
