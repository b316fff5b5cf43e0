/** The actions: what each is called, done to and takes as JSON Schema; and doing one. */
import { trigger } from '../../core/operations/trigger.js'
import { actionNames, actionTable } from '../../protocol/control/actions.js'
import type { Triggered, triggerRoutes } from '../../protocol/control/trigger.js'
import { jsonSchema } from '../openapi/json-schema.js'
import type { Handlers } from './mount.js'

const rowOf = (name: (typeof actionNames)[number]) => {
  const { subject, title, params } = actionTable[name]
  return { name, subject, title, params: { ...jsonSchema(params, 'input', 'SandboxAction') } }
}

let rows: ReturnType<typeof rowOf>[] | undefined

export const triggerHandlers: Handlers<typeof triggerRoutes> = {
  /** Made when first asked for, so that starting does not pay for it. */
  listActions() {
    rows ??= actionNames.map(rowOf)
    return { data: rows, next: null }
  },
  trigger: ({ ws, body: { action, id, ...params } }) =>
    ws.unit((unit) => {
      const { object, events } = trigger(unit, action, id, params)
      // Which object an action yields stands in its row, where the compiler cannot follow a name that it does not know.
      return { action, object, events } as Triggered
    }),
}
