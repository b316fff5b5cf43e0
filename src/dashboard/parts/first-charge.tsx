/** What to do where nothing has happened yet: a sentence, and a command with this sandbox's address and credentials in it. */

import type { Child } from 'hono/jsx/dom'
import type { Account, Credential } from '../../protocol/control/accounts.js'
import type { Page } from '../../protocol/control/fields.js'
import { apiCurl } from '../curl.js'
import { useQuery } from '../store/query.js'
import { Empty } from './layout.js'

/** `curl` is given the first credential that is active. */
export const NextStep = ({
  title,
  curl,
  children,
}: {
  title: string
  curl: (credential: Credential) => string
  children?: Child
}) => {
  const accounts = useQuery<Page<Account>>('/accounts', ['account', 'workspace'])
  const credential = accounts.data?.data.flatMap((account) => account.credentials).find(({ active }) => active)
  return (
    <Empty title={title} curl={credential === undefined ? undefined : curl(credential)}>
      {children}
    </Empty>
  )
}

export const chargeCurl = (credential: Credential): string =>
  apiCurl(credential, '/v2/transactions/cashin', { amount: 25, currency: 'BRL' })

export const FirstCharge = ({ title }: { title: string }) => (
  <NextStep title={title} curl={chargeCurl}>
    Paste this into a terminal to create a charge of 25.00 BRL. It shows up here by itself; then open it and pay it.
  </NextStep>
)
