/** The settings for the format of responses and events of the platform. `wire-format.ts` applies them. */
import { saoPauloOffset } from '../../base/iso.js'
import { chainNames, networkLabels } from '../platform/currencies.js'
import { errorCodes, errorGroups } from '../platform/errors.js'
import { assumedPaymentMethods } from '../platform/objects.js'
import { assumption } from './row.js'
import { flag, offset, oneNumberOf, oneOf, partialTable, whole, word } from './values.js'

/** Names or values of some keys. */
type Overrides<Key extends string, Value = string> = Readonly<Partial<Record<Key, Value>>>

export const wireFormatSettings = {
  withdrawal_status: assumption({
    schema: oneNumberOf([200, 201, 202]),
    toConfig: (withdrawalStatus) => ({ withdrawalStatus }),
    defaults: { withdrawalStatus: 202 },
    title: 'HTTP status of the answer to a withdrawal: 200, 201 or 202',
    defaultText: '202',
  }),
  empty_fields: assumption({
    schema: oneOf(['null', 'absent']),
    toConfig: (emptyFields) => ({ emptyFields }),
    defaults: { emptyFields: 'null' },
    title: 'How responses and events show a missing value: `null` or `absent`',
    defaultText: '`null`. With `absent` the field is left out.',
  }),
  answer_amounts: assumption({
    schema: oneOf(['number', 'string']),
    toConfig: (answerAmounts) => ({ answerAmounts }),
    defaults: { answerAmounts: 'number' },
    title: 'JSON type of amounts in responses: `number` or `string`',
    defaultText:
      '`number`. With `string`, amounts are decimal strings, except in the response to a charge, where the documented type is used.',
  }),
  amount_decimals: assumption({
    schema: oneOf(['full', 'shortest']),
    toConfig: (amountDecimals) => ({ amountDecimals }),
    defaults: { amountDecimals: 'full' },
    title: 'Decimals of amounts that are strings: `full` (`25.50`) or `shortest` (`25.5`)',
    defaultText: '`full`: `25.50`; `shortest` leaves out trailing zeros: `25.5`',
  }),
  time_offset: assumption({
    schema: offset,
    toConfig: (timeOffset) => ({ timeOffset }),
    defaults: { timeOffset: saoPauloOffset },
    title: 'UTC offset of times that the documentation does not show in UTC: `Z`, or an offset such as `-03:00`',
    defaultText: '`-03:00`',
  }),
  payment_methods: assumption({
    schema: partialTable(assumedPaymentMethods, word),
    toConfig: (paymentMethods: Overrides<(typeof assumedPaymentMethods)[number]>) => ({ paymentMethods }),
    defaults: { paymentMethods: {} },
    title: 'Values of `payment_method` for `crypto` and `spei`',
    defaultText: '`crypto` and `spei`',
  }),
  network_labels: assumption({
    schema: partialTable(networkLabels, word),
    toConfig: (names: Overrides<(typeof networkLabels)[number]>) => ({ networkLabels: names }),
    defaults: { networkLabels: {} },
    title: 'Names that replace network names in responses and events, such as `ERC20: ETHEREUM`',
    defaultText: 'None. The labels under "Currencies, networks, fees" in docs/assumptions.md.',
  }),
  min_confirmations: assumption({
    schema: partialTable(chainNames, whole(0, 10_000)),
    toConfig: (minConfirmations: Overrides<(typeof chainNames)[number], number>) => ({ minConfirmations }),
    defaults: { minConfirmations: {} },
    title: 'Value of the field `min_confirmations` for each chain',
    defaultText: 'The figures under "Currencies, networks, fees" in docs/assumptions.md.',
  }),
  sent_direction: assumption({
    schema: word,
    toConfig: (sentDirection) => ({ sentDirection }),
    defaults: { sentDirection: 'sent' },
    title: 'Value of the field `direction` for the sender of a transfer',
    defaultText: '`sent`',
  }),
  error_groups: assumption({
    schema: partialTable([...errorCodes, ...errorGroups], word),
    toConfig: (names: Overrides<(typeof errorCodes)[number] | (typeof errorGroups)[number]>) => ({
      errorGroups: names,
    }),
    defaults: { errorGroups: {} },
    title: 'Value of `error.group` for each error code, or new names for the groups',
    defaultText: 'The groups under "Error codes" in docs/assumptions.md.',
  }),
  retryable_errors: assumption({
    schema: partialTable(errorCodes, flag),
    toConfig: (retryable: Overrides<(typeof errorCodes)[number], boolean>) => ({ retryableErrors: retryable }),
    defaults: { retryableErrors: {} },
    title: 'Value of `error.retryable` for each error code',
    defaultText: 'The values under "Error codes" in docs/assumptions.md.',
  }),
} as const
