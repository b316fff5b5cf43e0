/** The public actions. Triggers, scenario steps, commands, library calls and dashboard buttons follow from this table. */

import * as z from 'zod'
import { keysOf } from '../../base/keys.js'
import { cashoutFailureCodes, disputeType } from '../platform/failures.js'
import { choice, looseAmount, onFirstUse, text } from '../platform/fields.js'
import type { ObjectKind } from '../platform/transitions.js'

const payer = (note: string) =>
  z
    .strictObject({ name: text().optional(), document: text(18).optional() })
    .optional()
    .describe(note)
const receiver = () =>
  z
    .strictObject({ name: text().optional(), document: text(18).optional(), bank: text().optional() })
    .optional()
    .describe('Who received the money (default: the receiver of the withdrawal)')
const part = () => looseAmount().optional().describe('Part of the amount (default: the full amount)')
const hash = () =>
  text(100).optional().describe('The PIX end-to-end id, SPEI tracking key or on-chain hash (default: generated)')
const reason = () => text(200).optional().describe('Reason, as reported in the event')
const nothing = onFirstUse(() => z.strictObject({}))

interface ActionRow {
  /** The kind of object that the action's `id` names. */
  subject: ObjectKind
  /** The kind of object that the action changes or creates. */
  result: 'cashin' | 'cashout' | 'conversion' | 'dispute'
  /**
   * The required status of `subject`, for actions that create another object and so have no row of their own in the
   * state table.
   */
  subjectStatus?: string
  title: string
  params: () => z.ZodObject
  /**
   * What a parameter requires of an object that is created for the action: `paid` is its exact amount if the rail
   * requires that, `part` at most its amount, `failure` a reason that is possible on its route.
   */
  requires?: Readonly<Record<string, ActionRequirement>>
  /** On a created object, a missing `amount` is the usual amount of its currency. */
  hasUsualAmount?: true
  /** Typical parameters. */
  examples: readonly Record<string, unknown>[]
}

export const actionTable = {
  'cashin.pay': {
    subject: 'cashin',
    result: 'cashin',
    title: 'The payer pays',
    params: onFirstUse(() =>
      z.strictObject({
        payer: payer('Who pays (default: the payer of the charge, if it names one)'),
        amount: looseAmount().optional().describe('The amount received (default: the amount of the charge)'),
        hash: hash(),
      }),
    ),
    requires: { amount: 'paid' },
    examples: [{}, { payer: { name: 'Maria Souza' } }, { amount: 24.5 }],
  },
  'cashin.expire': {
    subject: 'cashin',
    result: 'cashin',
    title: 'The charge expires unpaid',
    params: nothing,
    examples: [{}],
  },
  'cashin.refund': {
    subject: 'cashin',
    result: 'cashin',
    title: 'The charge is refunded, in full or in part',
    params: onFirstUse(() => z.strictObject({ amount: part(), reason: reason() })),
    requires: { amount: 'part' },
    examples: [{}, { amount: 10, reason: 'SENT_TOO_MUCH' }],
  },
  'cashout.confirm': {
    subject: 'cashout',
    result: 'cashout',
    title: 'The withdrawal settles',
    params: onFirstUse(() => z.strictObject({ hash: hash(), receiver: receiver() })),
    examples: [{}, { receiver: { name: 'Ana Lima' } }],
  },
  'cashout.fail': {
    subject: 'cashout',
    result: 'cashout',
    title: 'The withdrawal fails and the money is returned',
    params: onFirstUse(() =>
      z.strictObject({
        error_code: choice(cashoutFailureCodes).optional().describe('Error code (default: `UNKNOWN`)'),
        error_message: text(500).optional().describe('Error message (default: the message of the code)'),
      }),
    ),
    requires: { error_code: 'failure' },
    examples: [{}, { error_code: 'PIX_KEY_NOT_FOUND' }],
  },
  'cashout.refund': {
    subject: 'cashout',
    result: 'cashout',
    title: 'The destination returns a settled withdrawal',
    params: onFirstUse(() => z.strictObject({ amount: part(), reason: reason() })),
    requires: { amount: 'part' },
    examples: [{}, { reason: 'RETURNED_BY_BANK' }],
  },
  'conversion.refund': {
    subject: 'conversion',
    result: 'conversion',
    title: 'The platform’s support reverses the conversion',
    params: onFirstUse(() => z.strictObject({ reason: reason() })),
    examples: [{}],
  },
  'wallet.deposit': {
    subject: 'wallet',
    subjectStatus: 'created',
    result: 'cashin',
    title: 'A deposit arrives at the fixed wallet',
    params: onFirstUse(() =>
      z.strictObject({
        amount: looseAmount().describe('The amount received'),
        payer: payer('Who pays'),
        hash: hash(),
      }),
    ),
    hasUsualAmount: true,
    examples: [{ amount: 25 }],
  },
  'dispute.open': {
    subject: 'cashin',
    subjectStatus: 'confirmed',
    result: 'dispute',
    title: 'The payer opens a dispute (MED, the dispute procedure of PIX)',
    params: onFirstUse(() =>
      z.strictObject({
        amount: part(),
        type: text(60)
          .optional()
          .describe(`Type of the dispute (default: \`${disputeType}\`)`)
          .meta({ examples: [disputeType] }),
        reason: text(500).optional().describe('Reason, as reported in the event'),
      }),
    ),
    requires: { amount: 'part' },
    examples: [{}, { amount: 40, reason: 'I did not buy this' }],
  },
  'dispute.respond': {
    subject: 'dispute',
    result: 'dispute',
    title: 'The merchant replies to the dispute',
    params: onFirstUse(() => z.strictObject({ message: text(5000).optional().describe('Text of the reply') })),
    examples: [{}, { message: 'Delivered on Monday; proof attached' }],
  },
  'dispute.confirm': {
    subject: 'dispute',
    result: 'dispute',
    title: 'The dispute is confirmed, as after the deadline; the payer gets the money back',
    params: nothing,
    examples: [{}],
  },
  'dispute.win': {
    subject: 'dispute',
    result: 'dispute',
    title: 'The reply is accepted and the dispute won; the blocked money is released',
    params: nothing,
    examples: [{}],
  },
  'dispute.lose': {
    subject: 'dispute',
    result: 'dispute',
    title: 'The reply is rejected and the dispute lost; the payer gets the money back',
    params: nothing,
    examples: [{}],
  },
  'dispute.cancel': {
    subject: 'dispute',
    result: 'dispute',
    title: 'The payer cancels the dispute; the blocked money is released',
    params: nothing,
    examples: [{}],
  },
} as const satisfies Record<string, ActionRow>

export type ActionName = keyof typeof actionTable
export const actionNames = keysOf(actionTable)
/** The parameters of an action, without their precise type. */
export const paramsOf = (name: ActionName): z.ZodObject => actionTable[name].params()
export type ActionRequirement = 'paid' | 'part' | 'failure'
export const requirementsOfAction = (name: ActionName): Readonly<Record<string, ActionRequirement>> => {
  const row: ActionRow = actionTable[name]
  return row.requires ?? {}
}
/** Whether a missing amount has a default on a created object. */
export const hasUsualAmount = (name: ActionName): boolean => {
  const row: ActionRow = actionTable[name]
  return row.hasUsualAmount === true
}
export type ActionInput<Name extends ActionName> = z.input<ReturnType<(typeof actionTable)[Name]['params']>>
export type ActionParams<Name extends ActionName> = z.output<ReturnType<(typeof actionTable)[Name]['params']>>
