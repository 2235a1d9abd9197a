import { z } from 'zod'
import { type Issuer, IssuerProblem } from '../../company/issuers.ts'
import {
  type CompanyRow,
  type CompanySignIn,
  beginCompanySession,
  loneCompanyAccount,
  noteCompanyRefusal,
  readIdToken,
} from '../../db/queries/accounts/company.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { newToken, sessionTokenHash } from '../../keys/link-token.ts'
import { eventId, sha256 } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { publicLink } from '../../network/public-link.ts'
import { accountId } from '../ids.ts'
import type { Session } from '../sign-in/session.ts'
import { companyPath, signInPath } from '../sign-in/sign-in-path.ts'
import { type Client, clientOf } from '../sign-in/sign-in.ts'
import { openAttempt, openText, sealAttempt, sealText } from './sealed-text.ts'
import { clientSecret, externalIdIn, requireCompany, roleIn } from './settings.ts'

/** Where the provider sends them back to: an address of this account alone, so that no other provider's answer is taken here. */
export const redirectOf = (deps: Pick<Deps, 'publicUrl'>, account: string): string =>
  publicLink(deps, `${companyPath(account)}/back`)

/** The account whose people need not name it. */
export const companyAccount = ({ db }: Pick<Deps, 'db'>): Promise<string | undefined> =>
  loneCompanyAccount(db)

/** The provider of an account that a path names. @throws GateError `not_found` */
export async function companyAt(deps: Deps, named: string): Promise<CompanyRow & { account: string }> {
  const account = accountId.safeParse(named).data
  if (account === undefined) throw new GateError('not_found', 'Page not found. Check the address.')
  return { ...(await requireCompany({ db: deps.db, account })), account }
}

/**
 * Begins a sign-in.
 * @param how.isFresh  the provider has to ask the person again who they are
 * @param how.former  the token of the browser's session, which the new one replaces: on the way back the browser does not send it
 * @returns where to send the browser, and what it has to bring back
 * @throws GateError `not_found`, and `unavailable` where the provider does not answer
 */
export async function beginCompanySignIn(
  deps: Deps,
  named: string,
  { isFresh, former }: { isFresh: boolean; former: string | undefined },
): Promise<{ url: string; sealed: string }> {
  const company = await companyAt(deps, named)
  const { account, acr } = company
  const of = await issuerOf(deps, company)
  const { url, attempt } = await deps.issuers
    .ask(of, { redirect: redirectOf(deps, account), isFresh, acr })
    .catch((error: unknown) => {
      throw unavailable(deps, account, error)
    })
  return {
    url: url.href,
    sealed: await sealAttempt(deps, { account, issuer: of.issuer, former: former ?? null, ...attempt }),
  }
}

/**
 * Ends a sign-in that the provider sent back.
 * @param answered  path and query of the request
 * @param sealed  what the browser brought back; undefined: it began none
 * @returns the session's token, only for the cookie
 * @throws GateError `not_found`, `forbidden` with what to do next; attempts of a browser that began one are entries
 */
export async function finishCompanySignIn(
  deps: Deps,
  named: string,
  { answered, sealed }: { answered: string; sealed: string | undefined },
  client: Pick<Client, 'browser' | 'address'>,
): Promise<string> {
  const company = await companyAt(deps, named)
  const { account } = company
  const attempt = sealed === undefined ? undefined : await openAttempt(deps, account, sealed)
  if (attempt === undefined || attempt.startedAt < Date.now() - limits.companyAttemptMs)
    throw refusal('no_attempt')
  const refuse = async (reason: string, error?: unknown): Promise<GateError> => {
    deps.log.warn({ err: error, account, reason }, 'a sign-in with the company was refused')
    const minute = Math.floor(Date.now() / 60_000)
    const id = eventId(account, 'company sign-in refused', reason, minute)
    await noteCompanyRefusal(deps.db, { account, reason, eventId: id })
    return refusal(reason)
  }
  if (attempt.issuer !== company.issuer) throw await refuse('changed')
  const url = new URL(answered, deps.publicUrl())
  const back = new URL(`${redirectOf(deps, account)}${url.search}`)
  const of = await issuerOf(deps, company)
  const told = await deps.issuers.finish(of, back, attempt).catch(async (error: unknown) => {
    if (!(error instanceof IssuerProblem)) throw error
    throw error.code === 'no_provider' ? unavailable(deps, account, error) : await refuse(error.code, error)
  })
  const { claims, issuer, subject, idToken } = told
  if (company.acr !== null && !company.acr.includes(String(claims['acr']))) throw await refuse('acr')
  const session = newToken()
  const { browser, address } = clientOf({ ...client, former: undefined, asker: '' })
  const outcome = await beginCompanySession(deps.db, account, sessionTokenHash(session), {
    issuer,
    clientId: of.clientId,
    subject,
    mailbox: verifiedMailbox(claims),
    role: roleIn(claims, company),
    externalId: externalIdIn(claims, company),
    state: sha256(`company state ${attempt.state}`),
    identityId: `idn_${randomBase62(16)}`,
    adminId: `adm_${randomBase62(16)}`,
    sessionId: `ses_${randomBase62(16)}`,
    lastsMs: limits.companySessionMs,
    former: attempt.former === null ? null : sessionTokenHash(attempt.former),
    browser,
    address,
    isFresh: attempt.isFresh,
    idToken: idToken.length > idTokenCharsMax ? null : await sealText(deps, account, 'id token', idToken),
  })
  if (outcome !== 'signed_in') throw subjectIn(await refuse(outcome), outcome, subject)
  return session
}

/** A longer ID token is not kept: then the provider asks whether to sign out. */
const idTokenCharsMax = 8_192

/**
 * Where the session of a person ends at the provider, too.
 * @returns undefined where it was not begun there, or the provider has no such page
 */
export async function companySignOut(deps: Deps, session: Session): Promise<string | undefined> {
  if (!session.isByCompany) return undefined
  const { account, tokenHash } = session
  const sealed = await readIdToken(deps.db, account, tokenHash)
  const idToken =
    sealed === undefined
      ? undefined
      : await openText(deps, account, 'id token', sealed).catch(() => undefined)
  const company = await companyAt(deps, account).catch(() => undefined)
  const of = company && (await issuerOf(deps, company).catch(() => undefined))
  const back = publicLink(deps, signInPath)
  return of && (await deps.issuers.endSession(of, { back, idToken }))?.href
}

const issuerOf = async (deps: Deps, company: CompanyRow & { account: string }): Promise<Issuer> => ({
  account: company.account,
  issuer: company.issuer,
  clientId: company.client_id,
  clientSecret: await clientSecret(deps, company.account, company),
})

/** Only a mailbox of which the provider says itself that it was verified: `true`, and not a text. Pure. */
export function verifiedMailbox(claims: Record<string, unknown>): string | null {
  const mailbox = z.email().max(limits.emailCharsMax).safeParse(claims['email']).data
  return claims['email_verified'] === true && mailbox !== undefined ? mailbox : null
}

function unavailable(deps: Deps, account: string, error: unknown): GateError {
  deps.log.warn({ err: error, account }, 'the OpenID provider of an account does not answer')
  return new GateError('unavailable', "Your company's sign-in does not answer. Try again in a minute.")
}

/** Whom an administrator has to link. */
const subjectIn = (error: GateError, outcome: CompanySignIn, subject: string): GateError =>
  outcome === 'not_linked'
    ? new GateError('forbidden', `${error.message} They need your subject: ${subject}`)
    : error

const refusal = (reason: string): GateError =>
  new GateError(
    'forbidden',
    sentences[reason] ?? 'Your company sent an answer that is not accepted. Try again.',
  )

const sentences: Partial<Record<string, string>> = {
  no_attempt: 'This sign-in was not begun in this browser, or it took too long. Begin again.',
  used: 'This sign-in was already used. Begin again.',
  changed: 'The settings of this sign-in have changed. Begin again.',
  access_denied: 'Your company did not let you sign in.',
  acr: 'Your company did not ask for enough proof of who you are. Ask your administrator.',
  not_linked:
    'Your company knows you, but nobody said who you are here. Ask an administrator of your account to link you.',
  no_role: 'Your company gave you no role here. Ask your administrator.',
  admin_exists: 'Your mailbox is already that of an administrator here. Ask them to link you.',
  no_mailbox: 'Your company sent no verified mailbox for your role. Ask your administrator.',
}
