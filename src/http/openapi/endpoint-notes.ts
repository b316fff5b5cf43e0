/** What the document says of each endpoint beyond the registry: its group, and a few words for a newcomer. */
import type { EndpointName } from '../../protocol/api/endpoints.js'

interface Note {
  tag: string
  text: string
}

// biome-ignore format: a table, a row a line
export const endpointNotes: Record<EndpointName, Note> = {
  token: { tag: 'Access', text: 'Exchanges client_id and client_secret for a bearer token that lives 3600 s. Each call yields an independent token.' },
  cashin: { tag: 'Charges', text: 'Returns what the payer needs: a PIX QR code, a SPEI CLABE, or a temporary deposit address. The balance is credited, and `cashin.confirmed` sent, once the charge is paid. The same external_id again returns the same charge.' },
  cashout: { tag: 'Withdrawals', text: 'Pays out over PIX, SPEI or a blockchain. The result comes later, as `cashout.confirmed` or `cashout.failed`.' },
  pixPayment: { tag: 'Withdrawals', text: 'The older way to pay out over PIX. Prefer /v2/transactions/cashout.' },
  wallet: { tag: 'Charges', text: 'A permanent destination for deposits: a static PIX key, a permanent CLABE, or an on-chain address. Each deposit sends `cashin.confirmed` with the source `static`.' },
  transfer: { tag: 'Transfers and conversions', text: 'Moves money to another account of the service by its username. Both sides get `transfer.confirmed`.' },
  rate: { tag: 'Transfers and conversions', text: 'What an amount would buy at the present rate.' },
  simulate: { tag: 'Transfers and conversions', text: 'The whole conversion with spread and fee, without carrying it out.' },
  conversion: { tag: 'Transfers and conversions', text: 'Debits one balance and credits another, and sends `conversion.confirmed`.' },
  transactionList: { tag: 'Account', text: 'Transactions of the account, newest first. Read it from time to time to reconcile: webhooks are not the only source of truth.' },
  balance: { tag: 'Account', text: 'Available, blocked and pending, for every currency.' },
  profile: { tag: 'Account', text: 'Who the token belongs to.' },
  limits: { tag: 'Account', text: 'Minimum, maximum and daily limit for each currency and operation, and what of it is used today.' },
  fees: { tag: 'Account', text: 'The fee of each operation in each currency.' },
  infractionList: { tag: 'Disputes', text: 'PIX disputes (MED) against charges of the account, newest first.' },
  infractionDetail: { tag: 'Disputes', text: 'One dispute with the replies to it.' },
  infractionReply: { tag: 'Disputes', text: 'Registers the reply of the merchant, with evidence. A dispute takes one reply, within seven days.' },
}

// biome-ignore format: a table, a row a line
export const tags = [
  { name: 'Access', description: 'Getting a token.' },
  { name: 'Charges', description: 'Money in: charges and fixed wallets.' },
  { name: 'Withdrawals', description: 'Money out.' },
  { name: 'Transfers and conversions', description: 'Money between accounts, and between currencies.' },
  { name: 'Account', description: 'What an account may ask about itself.' },
  { name: 'Disputes', description: 'PIX MED disputes, called infractions in paths and chargebacks in events.' },
  { name: 'Webhooks', description: 'What the service sends to you, signed.' },
  { name: 'Control API', description: 'The sandbox itself, not a part of the platform: play the payer and the provider, move the clock, look at everything.' },
] as const
