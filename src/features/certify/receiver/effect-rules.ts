/** The rules about money: what the receiver credits, takes back and blocks. The lists name rules that others depend on. */
import { webhookHeaders } from '../../../inside/platform.js'
import type { RuleRow } from '../report/rules.js'
import { inSeconds, stateWaitMs } from './timing.js'

export const accepts = ['accept.signed'] as const
export const effects = ['accept.signed', 'effect.applied', 'amounts.exact'] as const
/** Rules about other transactions are also tested with a state URL that does not report charges. */
const withoutCharges = ['accept.signed', 'amounts.exact'] as const
export const effectsOfAll = [...effects, 'events.all'] as const
export const refunds = [...effectsOfAll, 'refund.full', 'refund.original'] as const
export const applies = [...refunds, 'different.event'] as const
export const disputes = [...applies, 'effect.dispute'] as const

// biome-ignore format: a table, a field a line
export const effectRules = {
  'effect.applied': {
    requirement: 'The receiver applies every event that it accepts.',
    source: '§6.1, rule 3', severity: 'error', example: 'durable', after: accepts,
    check: `Pays a charge and reads the state URL until it reports a credit, for at most ${inSeconds(stateWaitMs)}.`,
    fix: 'Process the event, or store it durably, before you answer 2xx. The platform does not send accepted events again.',
  },
  'effect.rails': {
    requirement: 'The receiver credits charges in every currency, with all decimals.',
    source: '§6.5', severity: 'error', example: 'amounts', needs: 'stateUrl', after: [...effects, 'events.rails'],
    check: 'Pays charges over SPEI and in each cryptocurrency, and reads the state.',
    fix: 'Credit cashin.confirmed in every currency that you accept, and keep all decimals: BTC has 8, SOL has 9.',
  },
  'effect.unnamed': {
    requirement: 'The receiver credits charges without an external_id.',
    source: '§6.5', severity: 'error', example: 'dedupe', needs: 'stateUrl', after: [...effects, 'events.rails'],
    check: 'Pays a charge without external_id, and reads the state.',
    fix: 'Use transaction_id as the key. external_id is null if you sent none.',
  },
  'effect.deposit': {
    requirement: 'The receiver credits deposits to fixed wallets.',
    source: '§6.4', severity: 'error', example: 'durable', needs: 'stateUrl', after: [...effects, 'effect.rails', 'effect.unnamed'],
    check: 'Deposits money over PIX, over SPEI and in crypto to fixed wallets, and reads the state.',
    fix: 'Handle cashin.confirmed with source static: the deposit has a new transaction_id, and no charge of yours.',
  },
  'effect.withdrawal': {
    requirement: 'The receiver gives the money of failed and refunded withdrawals back, and of no other.',
    source: '§6.4', severity: 'error', example: 'withdrawal', needs: 'stateUrl', after: withoutCharges,
    check: 'Confirms, fails and refunds a withdrawal each, one with the confirmation last, and reads the state. Skipped if the state URL reports nothing about withdrawals.',
    fix: 'At cashout.failed and cashout.refunded, give the money back to the customer. cashout.refunded names the withdrawal in original_transaction_id.',
  },
  'effect.transfer': {
    requirement: 'The receiver credits received transfers.',
    source: '§6.4', severity: 'error', example: 'durable', needs: 'stateUrl', after: withoutCharges,
    check: 'Transfers money to the account and from it, and reads the state. Skipped if the state URL reports nothing about transfers.',
    fix: 'At transfer.confirmed with direction received, credit the amount. With direction sent, credit nothing.',
  },
  'effect.conversion': {
    requirement: 'The receiver books conversions in the destination currency, and their refunds.',
    source: '§6.4', severity: 'error', example: 'amounts', needs: 'stateUrl', after: withoutCharges,
    check: 'Converts BRL to USDT, and refunds a conversion. Skipped if the state URL reports nothing about conversions.',
    fix: 'At conversion.confirmed, credit amount_to in currency_to. At conversion.refunded, take it back; original_conversion_id names the conversion.',
  },
  'refund.full': {
    requirement: 'A refund takes the credit of its charge back.',
    source: '§6.4', severity: 'error', example: 'order', needs: 'stateUrl', after: effectsOfAll,
    check: 'Pays and refunds charges, and reads the state.',
    fix: 'At cashin.refunded, take amount_refunded back from the charge that original_transaction_id names.',
  },
  'refund.original': {
    requirement: 'The receiver finds the charge of a refund by original_transaction_id.',
    source: '§6.5', severity: 'error', example: 'order', needs: 'stateUrl', after: [...effectsOfAll, 'refund.full'],
    check: 'Refunds a charge. The refund has its own transaction_id, and original_transaction_id names the charge.',
    fix: 'Look up the charge by original_transaction_id. The transaction_id of cashin.refunded is that of the refund.',
  },
  'refund.partial': {
    requirement: 'A partial refund takes only its part back.',
    source: '§6.5', severity: 'error', example: 'amounts', needs: 'stateUrl', after: refunds,
    check: 'Refunds 10.00 of a charge of 25.50, and parts that floats cannot subtract (5.11 of 19.99, 10.20 of 25.55), and reads the state.',
    fix: 'Take amount_refunded back. amount is the amount of the charge.',
  },
  'refund.once': {
    requirement: 'A refund that arrives several times takes the money back once.',
    source: '§6.1, rule 4', severity: 'error', example: 'dedupe', needs: 'stateUrl', after: [...refunds, 'refund.partial', 'duplicate.in-a-row', 'duplicate.answered'],
    check: 'Refunds a part of a charge, and sends the event three times.',
    fix: `Deduplicate refunds as well, by ${webhookHeaders.id}.`,
  },
  'effect.dispute': {
    requirement: 'The receiver blocks the money of an open dispute.',
    source: '§3', severity: 'error', example: 'order', needs: 'stateUrl', after: [...applies, 'different.kind'],
    check: 'Opens a dispute of a paid charge, and reads the state.',
    fix: 'At chargeback.opened, block the amount of the event; transaction_id names the charge.',
  },
  'dispute.responded': {
    requirement: 'A reply to a dispute releases nothing.',
    source: '§3', severity: 'error', example: 'order', needs: 'stateUrl', after: disputes,
    check: 'Opens a dispute and replies to it, and reads the state.',
    fix: 'Leave the money blocked at chargeback.responded: the dispute is not decided yet.',
  },
  'dispute.won': {
    requirement: 'A won dispute releases the money.',
    source: '§3', severity: 'error', example: 'order', needs: 'stateUrl', after: disputes,
    check: 'Opens and wins a dispute, and reads the state.',
    fix: 'At chargeback.won, release the amount that chargeback.opened blocked.',
  },
  'dispute.canceled': {
    requirement: 'A canceled dispute releases the money.',
    source: '§3', severity: 'error', example: 'order', needs: 'stateUrl', after: disputes,
    check: 'Opens and cancels a dispute, and reads the state.',
    fix: 'At chargeback.canceled, release the amount that chargeback.opened blocked.',
  },
  'dispute.lost': {
    requirement: 'A lost dispute takes the money back once.',
    source: '§3', severity: 'error', example: 'order', needs: 'stateUrl', after: disputes,
    check: 'Opens and loses a dispute, and reads the state after chargeback.lost and again after cashin.refunded.',
    fix: 'Release nothing at chargeback.lost. Take the money back once: chargeback.lost and cashin.refunded are about the same amount.',
  },
  'dispute.confirmed': {
    requirement: 'A confirmed chargeback takes the money back once.',
    source: '§3', severity: 'error', example: 'order', needs: 'stateUrl', after: disputes,
    check: 'Opens and confirms a dispute, and reads the state after chargeback.confirmed and again after cashin.refunded.',
    fix: 'Release nothing at chargeback.confirmed. Take the money back once: chargeback.confirmed and cashin.refunded are about the same amount.',
  },
  'dispute.partial': {
    requirement: 'A dispute of a part blocks only that part.',
    source: '§6.5', severity: 'error', example: 'order', needs: 'stateUrl', after: [...disputes, 'dispute.lost'],
    check: 'Opens a dispute of 10.00 of a charge of 25.50, loses it, and reads the state after each.',
    fix: 'At chargeback.opened, block the amount of the event, not the amount of the charge.',
  },
  'amounts.exact': {
    requirement: 'The receiver reads amounts exactly.',
    source: '§6.2', severity: 'error', example: 'amounts', needs: 'stateUrl', after: ['accept.signed', 'effect.applied'],
    check: 'Sends charges of 19.99, 1.15, 4.35 and other amounts that binary floating point cannot represent.',
    fix: 'Parse the decimal string into whole cents or a decimal type. Do not multiply a float by 100 and truncate it.',
  },
} as const satisfies Record<string, RuleRow>
