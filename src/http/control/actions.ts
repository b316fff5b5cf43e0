/** The actions: lists them with their subject and their parameters as JSON Schema, and performs one. */
import { triggerOnNewObject } from '../../core/endpoints/create-object.js'
import { trigger } from '../../core/operations/trigger.js'
import { type ActionName, actionNames, actionTable } from '../../protocol/actions/actions.js'
import type { Triggered, triggerRoutes } from '../../protocol/control/trigger.js'
import { ApiError, invalid } from '../../protocol/platform/errors.js'
import { word } from '../../protocol/platform/shell-calls.js'
import { jsonSchema } from '../openapi/json-schema.js'
import { accountNamed, pagedByName } from './pagination.js'
import type { Handlers } from './routes.js'
import { withPayUrl } from './workspaces.js'

const rowOf = (name: (typeof actionNames)[number]) => {
  const { subject, title, params } = actionTable[name]
  return { name, subject, title, params: { ...jsonSchema(params(), 'input', 'SandboxAction') } }
}

let rows: ReturnType<typeof rowOf>[] | undefined

export const triggerHandlers: Handlers<typeof triggerRoutes> = {
  /** Built on the first request, so that it does not slow the start. */
  listActions({ query }) {
    rows ??= actionNames.map(rowOf)
    return pagedByName(rows, query, ({ name }) => name)
  },
  trigger({ body: { action, id, account, create = false, fields, ...params }, ...call }) {
    if (create && id !== undefined) throw invalid('create', 'cannot be combined with id: it creates a new object')
    if (account !== undefined && id !== undefined)
      throw invalid('account', 'cannot be combined with id: the id names an existing object')
    if (!create && fields !== undefined)
      throw invalid('fields', 'requires create: true, because the fields belong to the new object')
    return call.ws
      .unit((unit) => {
        const owner = accountNamed(unit, account)
        // The action's row determines the type of the object, but the compiler cannot follow an action known only at
        // run time.
        if (create) {
          const { object, events, created } = triggerOnNewObject(unit, action, fields ?? {}, params, owner)
          return { action, object: withPayUrl(call, object), events, created } as Triggered
        }
        const { object, events } = trigger(unit, action, id, params, owner?.seq)
        // The action's row determines the type here too.
        return { action, object: withPayUrl(call, object), events } as Triggered
      })
      .catch((error: unknown) => {
        throw id === undefined ? withCommand(error, action, { account, ...params }) : error
      })
  },
}

/** If there is no suitable object, adds the command that creates one. */
function withCommand(error: unknown, action: ActionName, params: Record<string, unknown>): unknown {
  if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND' || error.details.action !== action) return error
  const entries = Object.entries(params).flatMap(([name, value]) =>
    typeof value === 'string' ? [` --${name.replaceAll('_', '-')} ${word(value)}`] : [],
  )
  const command = `payments-sandbox trigger ${action} --create${entries.join('')}`
  const message = `${error.message} To create one: ${command}`
  return new ApiError(error.code, { ...error.details, command }, message)
}
