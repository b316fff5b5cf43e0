/** Shown when a list is empty: a sentence, and a command with this sandbox's address and credentials. */

import type { Child } from 'hono/jsx/dom'
import type { Credential } from '../../client/types/control.js'
import { apiCurl, controlCurl } from '../platform-api.js'
import { type KindName, kindOf } from '../store/creation.js'
import { useAccounts } from '../store/query.js'
import { link } from '../store/route.js'
import { Empty } from './layout.js'

/** `curl` gets the first active credential. */
export const NextStep = ({
  title,
  curl,
  children,
}: {
  title: string
  curl: (credential: Credential) => string
  children?: Child
}) => {
  const accounts = useAccounts()
  const credential = accounts.data?.data.flatMap((account) => account.credentials).find(({ active }) => active)
  return (
    <Empty title={title} curl={credential === undefined ? undefined : curl(credential)}>
      {children}
    </Empty>
  )
}

/** `postbackUrl`: webhook URL of the charge (default: that of the credential). */
export const chargeCurl = (credential: Credential, postbackUrl?: string): string =>
  apiCurl(credential, {
    ...{ method: 'POST', path: '/v2/transactions/cashin', signed: false },
    body: JSON.stringify({ amount: 25, currency: 'BRL', postback_url: postbackUrl }),
  })

/** Creates and pays a charge whose webhook goes to the inbox with this URL. */
export const paidChargeCurl = (credential: Credential, inboxUrl: string): string =>
  `${chargeCurl(credential, inboxUrl)}\n${controlCurl('POST', '/trigger', { action: 'cashin.pay' })}`

export const FirstCharge = ({ title }: { title: string }) => (
  <NextStep title={title} curl={(credential) => chargeCurl(credential)}>
    <a href={link('new', 'charge')}>Create a charge</a> here, or paste this command into a terminal. The new charge
    appears on this page; open it and pay it.
  </NextStep>
)

/** Links to the forms that create these kinds. */
export const NewButtons = ({ kinds }: { kinds: readonly KindName[] }) => (
  <>
    {kinds.map((name, index) => (
      <a key={name} class={`button${index === 0 ? ' primary' : ''}`} href={link('new', name)}>
        {kindOf(name).title}
      </a>
    ))}
  </>
)
