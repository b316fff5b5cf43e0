/** `payments-sandbox trigger ACTION [ID]`: its flags follow from the table of actions. */
import type { Command } from 'commander'
import * as z from 'zod'
import { nearest } from '../base/nearest.js'
import { type ActionName, actionNames, actionTable } from '../protocol/control/actions.js'
import { type Connection, connect, print, repeatable, talks } from './connection.js'
import { didYouMean, UsageError } from './errors.js'
import { idOf, type Triggered } from './shapes.js'
import { bold, dim, paintState } from './style.js'
import { facts } from './table.js'

/** `payer` of `payer.name` is a table; the others take one value and are flags. */
const shapeOf = (name: ActionName): Record<string, z.ZodType> => actionTable[name].params.shape
const bare = (schema: z.ZodType): unknown => (schema instanceof z.ZodOptional ? schema.unwrap() : schema)
const innerOf = (schema: z.ZodType): string[] => {
  const inner = bare(schema)
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : []
}

/** `amount`, `payer.name`, … of one action. */
const parametersOf = (name: ActionName): string[] =>
  Object.entries(shapeOf(name)).flatMap(([key, schema]) => {
    const inner = innerOf(schema)
    return inner.length === 0 ? [key] : inner.map((part) => `${key}.${part}`)
  })

const flagNames = [...new Set(actionNames.flatMap(parametersOf))].filter((name) => !name.includes('.'))
const camel = (name: string) => name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase())

export function defineTrigger(command: Command): void {
  command
    .argument('<action>', 'what happens; see the list below')
    .argument('[id]', 'to what (default: the newest it is allowed on)')
  for (const name of flagNames) {
    const takers = actionNames.filter((action) => parametersOf(action).includes(name))
    command.option(
      `--${name.replaceAll('_', '-')} <${name === 'amount' ? 'number' : 'text'}>`,
      `for ${takers.join(', ')}`,
    )
  }
  command.addOption(repeatable('--set <key=value>', 'any parameter, nested ones too (payer.name=Ana)'))
  talks(command)
    .addHelpText('after', () => `\nActions and their parameters:\n${actionList()}`)
    .action(async (action: string, id: string | undefined, flags: Connection & Record<string, unknown>) => {
      const name = actionNamed(action)
      const parameters = gather(name, flags)
      const done = await connect(flags).call<Triggered>('POST', '/_sandbox/trigger', {
        action: name,
        ...(id === undefined ? {} : { id }),
        ...parameters,
      })
      print(flags, done, told)
    })
}

function actionList(): string {
  const width = Math.max(...actionNames.map((name) => name.length))
  return actionNames
    .map((name) => {
      const parameters = parametersOf(name)
      const takes = parameters.length === 0 ? '' : dim(` (${parameters.join(', ')})`)
      return `  ${name.padEnd(width)}  ${actionTable[name].title}${takes}`
    })
    .join('\n')
}

function actionNamed(typed: string): ActionName {
  if (Object.hasOwn(actionTable, typed)) return typed as ActionName
  const guess = nearest(typed, actionNames)
  throw new UsageError(
    `there is no action ${typed}${guess === null ? `; the actions are ${actionNames.join(', ')}` : didYouMean(guess)}`,
  )
}

/** The parameters of the call. One that the action does not have is an error, never ignored. */
function gather(action: ActionName, flags: Record<string, unknown>): Record<string, unknown> {
  const known = parametersOf(action)
  const gathered: Record<string, unknown> = {}
  for (const name of flagNames) {
    const value = flags[camel(name)]
    if (value === undefined) continue
    if (!known.includes(name))
      throw new UsageError(`--${name.replaceAll('_', '-')} is no parameter of ${action}${takes(known)}`)
    gathered[name] = value
  }
  for (const pair of flags.set as string[]) place(action, pair, known, gathered)
  return gathered
}

const takes = (known: readonly string[]) =>
  known.length === 0 ? ', which takes none' : `; it takes ${known.join(', ')}`

function place(action: ActionName, pair: string, known: readonly string[], gathered: Record<string, unknown>): void {
  const at = pair.indexOf('=')
  if (at < 1) throw new UsageError(`--set takes key=value, not ${JSON.stringify(pair)}`)
  const [key, value] = [pair.slice(0, at), pair.slice(at + 1)]
  if (!known.includes(key)) {
    const guess = nearest(key, known)
    throw new UsageError(`${key} is no parameter of ${action}${guess === null ? takes(known) : didYouMean(guess)}`)
  }
  const [outer = key, inner] = key.split('.')
  const held = inner === undefined ? gathered[outer] : (gathered[outer] as Record<string, string> | undefined)?.[inner]
  if (held !== undefined) throw new UsageError(`${key} is given twice`)
  gathered[outer] =
    inner === undefined ? value : { ...(gathered[outer] as Record<string, string> | undefined), [inner]: value }
}

function told({ action, object, events }: Triggered): string {
  const status = object.status ?? 'created'
  const amount = object.amount === undefined ? '' : `${object.amount} ${object.currency}`
  const head = `${paintState('ok', '✓')} ${bold(action)}  ${idOf(object)} is ${paintState(status)}\n`
  return (
    head +
    facts(
      [
        ['amount', amount],
        ['external_id', object.external_id],
        ...events.map((event) => ['event', `${event.event} ${event.id}`] as const),
      ],
      '  ',
    )
  )
}
