/** The bot of an account: the tenant it is used in, and the id and secret of its app there. */
export interface Bot {
  tenant: string
  app: string
  secret: string
}

/** A bot as one text, which is sealed. Pure. */
export const botText = ({ tenant, app, secret }: Bot): string => JSON.stringify({ tenant, app, secret })

/** @throws Error where the text is no bot */
export function readBot(text: string): Bot {
  const { tenant, app, secret } = JSON.parse(text) as Partial<Bot>
  if (tenant === undefined || app === undefined || secret === undefined)
    throw new Error('the credential is not one of a bot')
  return { tenant, app, secret }
}

/** What binds a message to the bot that sent it, in its tenant. Pure. */
export const workspaceOf = ({ tenant, app }: Pick<Bot, 'tenant' | 'app'>): string => `${tenant} ${app}`
