/** The public actions: triggers, scenario steps, CLI words, library calls and dashboard buttons, all from this table. */
import * as z from 'zod'
import { cashoutFailureCodes } from '../api/failures.js'
import { choice, looseAmount, text } from '../api/fields.js'
import type { ObjectKind } from '../api/transitions.js'

const payer = () => z.strictObject({ name: text().optional(), document: text(18).optional() }).optional()
const receiver = () =>
  z.strictObject({ name: text().optional(), document: text(18).optional(), bank: text().optional() }).optional()
const amount = () => looseAmount().optional()
const reason = () => text(200).optional()
const hash = () => text(100).optional()
const nothing = z.strictObject({})

interface ActionRow {
  /** The kind of object that the `id` of the action names. */
  subject: ObjectKind
  /** What it is done to in the end, or brings into being. */
  yields: 'cashin' | 'cashout' | 'conversion' | 'dispute'
  title: string
  params: z.ZodObject
}

export const actionTable = {
  'cashin.pay': {
    subject: 'cashin',
    yields: 'cashin',
    title: 'The payer pays',
    params: z.strictObject({ payer: payer(), amount: amount(), hash: hash() }),
  },
  'cashin.expire': { subject: 'cashin', yields: 'cashin', title: 'The charge expires unpaid', params: nothing },
  'cashin.refund': {
    subject: 'cashin',
    yields: 'cashin',
    title: 'The cash-in is reversed, in full or in part',
    params: z.strictObject({ amount: amount(), reason: reason() }),
  },
  'cashout.confirm': {
    subject: 'cashout',
    yields: 'cashout',
    title: 'The withdrawal settles',
    params: z.strictObject({ hash: hash(), receiver: receiver() }),
  },
  'cashout.fail': {
    subject: 'cashout',
    yields: 'cashout',
    title: 'The withdrawal fails and the money comes back',
    params: z.strictObject({
      error_code: choice(cashoutFailureCodes as [string, ...string[]]).optional(),
      error_message: text(500).optional(),
    }),
  },
  'cashout.refund': {
    subject: 'cashout',
    yields: 'cashout',
    title: 'The destination returns a settled withdrawal',
    params: z.strictObject({ amount: amount(), reason: reason() }),
  },
  'conversion.refund': {
    subject: 'conversion',
    yields: 'conversion',
    title: 'Support reverses the conversion',
    params: z.strictObject({ reason: reason() }),
  },
  'wallet.deposit': {
    subject: 'wallet',
    yields: 'cashin',
    title: 'A deposit arrives at the fixed wallet',
    params: z.strictObject({ amount: looseAmount(), payer: payer(), hash: hash() }),
  },
  'dispute.open': {
    subject: 'cashin',
    yields: 'dispute',
    title: 'The payer opens a MED dispute',
    params: z.strictObject({ amount: amount(), type: text(60).optional(), reason: text(500).optional() }),
  },
  'dispute.respond': {
    subject: 'dispute',
    yields: 'dispute',
    title: 'The merchant replies to the dispute',
    params: z.strictObject({ message: text(5000).optional() }),
  },
  'dispute.confirm': {
    subject: 'dispute',
    yields: 'dispute',
    title: 'The dispute is confirmed, the money returned',
    params: nothing,
  },
  'dispute.win': { subject: 'dispute', yields: 'dispute', title: 'The defence is accepted', params: nothing },
  'dispute.lose': { subject: 'dispute', yields: 'dispute', title: 'The defence is rejected', params: nothing },
  'dispute.cancel': {
    subject: 'dispute',
    yields: 'dispute',
    title: 'The payer withdraws the dispute',
    params: nothing,
  },
} as const satisfies Record<string, ActionRow>

export type ActionName = keyof typeof actionTable
export const actionNames = Object.keys(actionTable) as ActionName[]
export type ActionInput<Name extends ActionName> = z.input<(typeof actionTable)[Name]['params']>
export type ActionParams<Name extends ActionName> = z.output<(typeof actionTable)[Name]['params']>
