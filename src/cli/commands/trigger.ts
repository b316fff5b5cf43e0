/** `payments-sandbox trigger ACTION [ID]`. Its flags come from the table of actions. */

import type { Command } from 'commander'
import type * as z from 'zod'
import { isKeyOf, rowAt } from '../../base/keys.js'
import { camelCase, suggestion } from '../../base/text.js'
import { fieldsIn } from '../../base/unknown.js'
import type { Triggered, TriggerRequest } from '../../client/types/control.js'
import { type ActionName, actionNames, actionTable } from '../../protocol/actions/actions.js'
import { stepsBefore } from '../../protocol/actions/creation-steps.js'
import { fieldsAt } from '../../protocol/platform/fields.js'
import { bodyOf } from '../../protocol/scenario/values.js'
import {
  addConnectionFlags,
  type CommandUsages,
  type ConnectionFlags,
  connect,
  print,
  repeatableFlag,
} from '../command.js'
import { UsageError } from '../errors.js'
import { bold, dim, formatFields, paintState } from '../terminal/style.js'

/** Parameters that are objects, such as `payer`, are set with `--set`; the others are flags. */
const shapeOf = (name: ActionName): Record<string, z.ZodType> => actionTable[name].params().shape
const unwrapSchema = (schema: z.ZodType): string[] => fieldsAt(schema, [])

const fieldNames = (shape: Record<string, z.ZodType>): string[] =>
  Object.entries(shape).flatMap(([key, schema]) => {
    const inner = unwrapSchema(schema)
    return inner.length === 0 ? [key] : inner.map((part) => `${key}.${part}`)
  })

/** `amount`, `payer.name`, … of one action. */
const parametersOf = (name: ActionName): string[] => fieldNames(shapeOf(name))
/** Fields of the object that `--create` creates, without lists, which a flag cannot express. */
const fieldsFor = (name: ActionName): string[] => {
  const { split: _list, ...shape }: Record<string, z.ZodType> = bodyOf(stepsBefore(name).create).shape
  return fieldNames(shape)
}

const flagNames = [...new Set(actionNames.flatMap(parametersOf))].filter((name) => !name.includes('.'))

interface Flags extends ConnectionFlags {
  set: string[]
  account?: string
  /** One for each parameter of an action. */
  [parameter: string]: unknown
}

export const usages: CommandUsages = {
  trigger: {
    jsonOutputs: [{ route: 'trigger' }],
    examples: {
      'payments-sandbox trigger cashin.pay': 'pay the newest charge',
      'payments-sandbox trigger cashin.pay order-17 --set payer.name=Ana':
        'pay the charge with external_id order-17; the payer is Ana',
      'payments-sandbox trigger cashout.fail --error-code PIX_KEY_NOT_FOUND': 'fail the newest withdrawal',
      'payments-sandbox trigger dispute.win --create --set amount=80':
        'create a charge of 80, pay it, dispute it, and win the dispute',
      'payments-sandbox trigger dispute.open --reason "item not received"':
        'open a dispute about the newest paid PIX charge',
    },
  },
}

export function define(command: Command): void {
  command
    .argument('[action]', 'action to trigger; see the list below')
    .argument(
      '[id]',
      'charge, withdrawal, dispute or wallet to act on (default: the newest one that allows the action)',
    )
  for (const name of flagNames) {
    const takers = actionNames.filter((action) => parametersOf(action).includes(name))
    command.option(
      `--${name.replaceAll('_', '-')} <${name === 'amount' ? 'number' : 'text'}>`,
      `${meaningOf(name, takers)}; for ${takers.join(', ')}`,
    )
  }
  command
    .option('--account <username>', 'account that owns the object (default: any; with --create: the first account)')
    .option('--create', 'create a suitable object first, in a state that allows the action')
    .addOption(
      repeatableFlag(
        '--set <key=value>',
        'set a parameter, also a nested one (payer.name=Ana); with --create, set a field of the object (amount=25)',
      ),
    )
  addConnectionFlags(command)
    .addHelpText('after', () => `\nActions and their parameters:\n${actionList()}`)
    .action(async (action: string | undefined, id: string | undefined, flags: Flags) => {
      if (action === undefined)
        throw new UsageError(`an action is required; use one of:\n${actionList((text) => text)}`)
      const name = actionNamed(action)
      if (flags.create === true && id !== undefined)
        throw new UsageError('--create creates the object; remove the ID or --create')
      const parameters = collectParameters(name, flags)
      const done = await connect(flags).call('POST /trigger', {
        body: {
          action: name,
          id,
          account: flags.account,
          create: flags.create,
          ...parameters,
          // The parameters are checked above; the compiler cannot relate them to the action.
        } as TriggerRequest,
      })
      print(flags, done, formatTriggered)
    })
}

/** The meaning of a parameter. That of `amount` depends on the action. */
function meaningOf(name: string, takers: readonly ActionName[]): string {
  if (name === 'amount') return 'amount received, refunded or disputed (default: all of it)'
  const [taker] = takers
  const { description = '' } = (taker === undefined ? undefined : shapeOf(taker)[name]) ?? {}
  return description
    .replace(/^The /, '')
    .replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())
    .replaceAll('`', '')
}

/** Errors have no colors: their control characters are replaced. */
function actionList(faint: (text: string) => string = dim): string {
  const width = Math.max(...actionNames.map((name) => name.length))
  return actionNames
    .map((name) => {
      const parameters = parametersOf(name)
      const parameterList = parameters.length === 0 ? '' : faint(` (${parameters.join(', ')})`)
      return `  ${name.padEnd(width)}  ${actionTable[name].title}${parameterList}`
    })
    .join('\n')
}

function actionNamed(name: string): ActionName {
  if (isKeyOf(actionTable, name)) return name
  throw new UsageError(`unknown action ${name}${suggestion(name, actionNames)}`)
}

/** Collects the parameters of the call. A parameter that the action does not have is an error. */
function collectParameters(action: ActionName, flags: Flags): Record<string, unknown> {
  const known = parametersOf(action)
  const gathered: Record<string, unknown> = {}
  for (const name of flagNames) {
    const value = flags[camelCase(name)]
    if (value === undefined) continue
    if (!known.includes(name))
      throw new UsageError(
        `--${name.replaceAll('_', '-')} is not a parameter of ${action}${suggestion(name, known, noParameters)}`,
      )
    gathered[name] = value
  }
  const fields: Record<string, unknown> = {}
  const newFields = flags.create === true ? fieldsFor(action) : []
  for (const pair of flags.set) {
    const { key, value } = parsePair(pair)
    if (newFields.includes(key)) setNested(key, value, fields)
    else if (known.includes(key)) setNested(key, value, gathered)
    else
      throw new UsageError(
        `${key} is not a parameter of ${action}${suggestion(key, [...newFields, ...known], noParameters)}`,
      )
  }
  return Object.keys(fields).length === 0 ? gathered : { ...gathered, fields }
}

const noParameters = ', which has no parameters'

function parsePair(pair: string): { key: string; value: string } {
  const at = pair.indexOf('=')
  if (at < 1) throw new UsageError(`--set must be key=value, not ${JSON.stringify(pair)}`)
  return { key: pair.slice(0, at), value: pair.slice(at + 1) }
}

function setNested(key: string, value: string, gathered: Record<string, unknown>): void {
  const [outer = key, inner] = key.split('.')
  const table = fieldsIn(gathered[outer])
  const current = inner === undefined ? gathered[outer] : rowAt(table, inner)
  if (current !== undefined) throw new UsageError(`${key} is given twice`)
  gathered[outer] = inner === undefined ? value : { ...table, [inner]: value }
}

const idOf = (object: Triggered['object']) => ('infraction_id' in object ? object.infraction_id : object.transaction_id)

function formatTriggered({ action, object, events, created = [] }: Triggered): string {
  // `amount` is that of the whole charge or withdrawal, of which a part can be refunded.
  const refunded = 'amount_refunded' in object ? object.amount_refunded : undefined
  const head = `${paintState('ok', '✓')} ${bold(action)}  ${idOf(object)} is ${paintState(object.status)}\n`
  return (
    head +
    formatFields(
      [
        ['amount', `${object.amount} ${object.currency}`],
        ['refunded', refunded === undefined ? null : `${refunded} ${object.currency}`],
        ['external_id', 'external_id' in object ? object.external_id : null],
        ...created.map((one) => ['created', `${one.action} ${one.id}`] as const),
        ...events.map((event) => ['event', `${event.event} ${event.id}`] as const),
      ],
      '  ',
    )
  )
}
