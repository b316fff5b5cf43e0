/** What each transition is called on the page, who causes it, and which parameters of an action a rail does not have. */
import {
  type Currency,
  type CurrencyRow,
  currencies,
  currencyNames,
  currencyOf,
} from '../../protocol/platform/currencies.js'
import { type TransitionRow, transitions } from '../../protocol/platform/transitions.js'
import { t } from '../language.js'
import { type Field, type FieldSchema, fieldsOf } from './form.js'

type Row<Of = (typeof transitions)[number]> = Of extends { object: string; on: string }
  ? `${Of['object']}.${Of['on']}`
  : never

/** Your actions come first: when they go, those of others stay in their place under the pointer. */
export const actors = { you: 'You', payer: 'Payer', platform: 'Platform' } as const
type Actor = keyof typeof actors

const steps: Record<Row, readonly [text: string, by: Actor]> = {
  'cashin.create': ['Charge created', 'you'],
  'cashin.pay': ['Charge paid', 'payer'],
  'cashin.deposit': ['Deposit received', 'payer'],
  'cashin.expire': ['Charge expired', 'platform'],
  'cashin.refund': ['Charge refunded', 'platform'],
  'cashin.lose_dispute': ['Charge refunded', 'platform'],
  'cashout.create': ['Withdrawal created', 'you'],
  'cashout.confirm': ['Withdrawal settled', 'platform'],
  'cashout.fail': ['Withdrawal failed', 'platform'],
  'cashout.refund': ['Withdrawal returned', 'platform'],
  'transfer.create': ['Internal transfer sent', 'you'],
  'transfer.receive': ['Internal transfer received', 'platform'],
  'conversion.create': ['Conversion completed', 'you'],
  'conversion.refund': ['Conversion reversed', 'platform'],
  'wallet.create': ['Fixed wallet created', 'you'],
  'dispute.open': ['Dispute opened', 'payer'],
  'dispute.respond': ['Reply sent', 'you'],
  'dispute.confirm': ['Dispute confirmed', 'platform'],
  'dispute.win': ['Dispute won', 'platform'],
  'dispute.lose': ['Dispute lost', 'platform'],
  'dispute.cancel': ['Dispute canceled', 'payer'],
}

/** `step` is `cashin.pay`; one that the page does not know is shown by its name. */
export const stepText = (step: string): string => (isStep(step) ? steps[step][0] : step)

/** Who causes a step or an action. A deposit is an action of the wallet and a step of its charge. */
export function actorOf(step: string): Actor {
  if (step === 'wallet.deposit') return 'payer'
  return isStep(step) ? steps[step][1] : 'platform'
}

/** Whether an action is what usually happens next. */
export const isUsual = (action: string): boolean =>
  ['cashin.pay', 'cashout.confirm', 'wallet.deposit', 'dispute.respond'].includes(action)

const isStep = (step: string): step is Row => Object.hasOwn(steps, step)

/** A charge of PIX is paid in full or not at all. A chain knows no names. */
const omittedParams: Record<CurrencyRow['rail'], readonly string[]> = {
  pix: ['cashin.pay amount'],
  spei: [],
  chain: ['payer', 'receiver'].flatMap((person) =>
    ['cashin.pay', 'wallet.deposit', 'cashout.confirm'].flatMap((action) =>
      ['name', 'document', 'bank'].map((field) => `${action} ${person}.${field}`),
    ),
  ),
}

const hasParam = (currency: Currency | undefined, action: string, param: string): boolean =>
  currency === undefined || !omittedParams[currencyOf(currency).rail].includes(`${action} ${param}`)

const proofs: Record<CurrencyRow['rail'], string> = {
  pix: 'The PIX end-to-end id (default: generated)',
  spei: 'The SPEI tracking key (default: generated)',
  chain: 'The on-chain hash (default: generated)',
}

/** The hint of an action's parameter: the proof of payment is another on each rail. */
const hintOf = (currency: Currency | undefined, { name, hint }: Field): string | undefined =>
  currency === undefined || name !== 'hash' ? hint : proofs[currencyOf(currency).rail]

/** The fields of an action's form. The currency is that of its object; a new object gets the first one. */
export const fieldsOfAction = ({ name, params }: { name: string; params: FieldSchema }, currency?: Currency): Field[] =>
  fieldsOf(params)
    .filter((field) => hasParam(currency, name, field.name))
    .map((field) => ({
      ...{ ...field, hint: hintOf(currency, field) },
      ...(field.kind === 'amount' && currency !== undefined ? { label: t`Amount in ${currency}` } : {}),
      ...(field.kind === 'amount' && field.required === true
        ? { value: currencies[currency ?? currencyNames[0]].usualAmount }
        : {}),
    }))

/** The events that transitions send, in the order of their table. */
export const sentEvents = [...new Set(transitions.flatMap((row: TransitionRow) => row.event ?? []))]
