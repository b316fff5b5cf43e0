/** What to do in a sandbox in which nothing has happened yet. */
import { apiCurl } from '../curl.js'
import { useQuery } from '../store/query.js'
import type { Account, Page } from '../types.js'
import { Empty } from './layout.js'

export const FirstCharge = ({ title }: { title: string }) => {
  const accounts = useQuery<Page<Account>>('/accounts', ['account', 'workspace'])
  const credential = accounts.data?.data.flatMap((account) => account.credentials).find(({ active }) => active)
  return (
    <Empty
      title={title}
      curl={
        credential === undefined
          ? undefined
          : apiCurl(credential, '/v2/transactions/cashin', { amount: 25, currency: 'BRL' })
      }
    >
      Paste this into a terminal to create a charge of 25.00 BRL. It shows up here by itself; then open it and pay it.
    </Empty>
  )
}
