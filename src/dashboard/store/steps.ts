/** What each transition is called on the page when it has happened and when it is to happen, who causes it, and which parameters of an action a rail does not have. */
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

const steps: Record<Row, readonly [done: string, toDo: string, by: Actor]> = {
  'cashin.create': ['Charge created', 'Create the charge', 'you'],
  'cashin.pay': ['Charge paid', 'Pay the charge', 'payer'],
  'cashin.deposit': ['Deposit received', 'Receive the deposit', 'payer'],
  'cashin.expire': ['Charge expired', 'Let the charge expire', 'platform'],
  'cashin.refund': ['Charge refunded', 'Refund the charge', 'platform'],
  'cashin.lose_dispute': ['Charge refunded', 'Refund the charge', 'platform'],
  'cashout.create': ['Withdrawal created', 'Create the withdrawal', 'you'],
  'cashout.confirm': ['Withdrawal settled', 'Settle the withdrawal', 'platform'],
  'cashout.fail': ['Withdrawal failed', 'Let the withdrawal fail', 'platform'],
  'cashout.refund': ['Withdrawal returned', 'Return the withdrawal', 'platform'],
  'transfer.create': ['Internal transfer sent', 'Send the internal transfer', 'you'],
  'transfer.receive': ['Internal transfer received', 'Receive the internal transfer', 'platform'],
  'conversion.create': ['Conversion completed', 'Create the conversion', 'you'],
  'conversion.refund': ['Conversion reversed', 'Reverse the conversion', 'platform'],
  'wallet.create': ['Fixed wallet created', 'Create the fixed wallet', 'you'],
  'dispute.open': ['Dispute opened', 'Open the dispute', 'payer'],
  'dispute.respond': ['Reply sent', 'Send the reply', 'you'],
  'dispute.confirm': ['Dispute confirmed', 'Confirm the dispute', 'platform'],
  'dispute.win': ['Dispute won', 'Win the dispute', 'platform'],
  'dispute.lose': ['Dispute lost', 'Lose the dispute', 'platform'],
  'dispute.cancel': ['Dispute canceled', 'Cancel the dispute', 'payer'],
}

/** `step` is `cashin.pay`; one that the page does not know is shown by its name. */
export const stepText = (step: string): string => (isStep(step) ? steps[step][0] : step)

/** What a step does, for one that may not happen. A deposit is an action of the wallet, as for `actorOf`. */
export function taskText(step: string): string {
  const row = step === 'wallet.deposit' ? 'cashin.deposit' : step
  return isStep(row) ? steps[row][1] : row
}

/** Who causes a step or an action. A deposit is an action of the wallet and a step of its charge. */
export function actorOf(step: string): Actor {
  if (step === 'wallet.deposit') return 'payer'
  return isStep(step) ? steps[step][2] : 'platform'
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
