// Calls to the stand-in of Slack and Resend with `fetch` alone, as a program without their SDKs would make them.

const base = process.env.SANDBOX_URL

/** Posts a message in the conversation with a user. @returns the message's id */
export async function postInSlack(user, text) {
  const { ok, ts } = await post('/slack/api/chat.postMessage', {
    headers: { authorization: 'Bearer xoxb-bare', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ channel: `D${user}`, text }).toString(),
  })
  if (!ok) throw new Error('Slack refused a message')
  return ts
}

/** Sends one e-mail. @returns its id */
export async function mail(to, text, key) {
  const { data } = await post('/resend/emails/batch', {
    headers: { authorization: 'Bearer re_bare', 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify([{ from: 'gate@sandbox.example', to, subject: 'Message from Ada', text }]),
  })
  return data[0].id
}

async function post(path, { headers, body }) {
  const answer = await fetch(new URL(path, base), { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
  return answer.json()
}
