/** The settings that decide how answers and events of the platform are written. `wire-format.ts` applies them. */
import { saoPauloOffset } from '../../base/iso.js'
import { chainNames, networkLabels } from '../platform/currencies.js'
import { errorCodes, errorGroups } from '../platform/errors.js'
import { assumedPaymentMethods } from '../platform/objects.js'
import { assumption } from './row.js'
import { flag, offset, oneNumberOf, oneOf, partialTable, whole, word } from './values.js'

/** Names or values of some keys. */
type Changes<Key extends string, Value = string> = Readonly<Partial<Record<Key, Value>>>

export const formSettings = {
  withdrawal_status: assumption({
    schema: oneNumberOf([200, 201, 202]),
    sets: (withdrawalStatus) => ({ withdrawalStatus }),
    preset: { withdrawalStatus: 202 },
    title: 'HTTP status of the answer to a withdrawal: 200, 201 or 202',
    byDefault: '202.',
  }),
  empty_fields: assumption({
    schema: oneOf(['null', 'absent']),
    sets: (emptyFields) => ({ emptyFields }),
    preset: { emptyFields: 'null' },
    title: 'How answers and events show a missing value: `null` or `absent`',
    byDefault: '`null`. With `absent` the field is left out.',
  }),
  answer_amounts: assumption({
    schema: oneOf(['number', 'string']),
    sets: (answerAmounts) => ({ answerAmounts }),
    preset: { answerAmounts: 'number' },
    title: 'JSON type of amounts in answers: `number` or `string`',
    byDefault:
      '`number`. With `string` they are decimal strings, except in the answer to a charge, which is documented.',
  }),
  amount_decimals: assumption({
    schema: oneOf(['full', 'shortest']),
    sets: (amountDecimals) => ({ amountDecimals }),
    preset: { amountDecimals: 'full' },
    title: 'Decimals of decimal strings: `full` or `shortest`',
    byDefault: '`full`: `25.50`. With `shortest` trailing zeros are left out: `25.5`.',
  }),
  time_offset: assumption({
    schema: offset,
    sets: (timeOffset) => ({ timeOffset }),
    preset: { timeOffset: saoPauloOffset },
    title: 'Offset of the times that are not documented as UTC: `Z`, or an offset such as `-03:00`',
    byDefault: '`-03:00`.',
  }),
  payment_methods: assumption({
    schema: partialTable(assumedPaymentMethods, word),
    sets: (paymentMethods: Changes<(typeof assumedPaymentMethods)[number]>) => ({ paymentMethods }),
    preset: { paymentMethods: {} },
    title: 'Values of `payment_method` for `crypto` and `spei`',
    byDefault: '`crypto` and `spei`.',
  }),
  network_labels: assumption({
    schema: partialTable(networkLabels, word),
    sets: (names: Changes<(typeof networkLabels)[number]>) => ({ networkLabels: names }),
    preset: { networkLabels: {} },
    title: 'Other names of networks in answers and events, such as `ERC20: ETHEREUM`',
    byDefault: 'None: the labels under Currencies, networks, fees.',
  }),
  min_confirmations: assumption({
    schema: partialTable(chainNames, whole(0, 10_000)),
    sets: (minConfirmations: Changes<(typeof chainNames)[number], number>) => ({ minConfirmations }),
    preset: { minConfirmations: {} },
    title: '`min_confirmations` of each chain',
    byDefault: 'The figures under Currencies, networks, fees.',
  }),
  sent_direction: assumption({
    schema: word,
    sets: (sentDirection) => ({ sentDirection }),
    preset: { sentDirection: 'sent' },
    title: '`direction` for the sender of a transfer',
    byDefault: '`sent`.',
  }),
  error_groups: assumption({
    schema: partialTable([...errorCodes, ...errorGroups], word),
    sets: (names: Changes<(typeof errorCodes)[number] | (typeof errorGroups)[number]>) => ({ errorGroups: names }),
    preset: { errorGroups: {} },
    title: '`error.group` of error codes, or other names of groups',
    byDefault: 'The groups under Error codes.',
  }),
  retryable_errors: assumption({
    schema: partialTable(errorCodes, flag),
    sets: (retryable: Changes<(typeof errorCodes)[number], boolean>) => ({ retryableErrors: retryable }),
    preset: { retryableErrors: {} },
    title: '`error.retryable` of error codes',
    byDefault: 'The values under Error codes.',
  }),
} as const
