/** The actions as data: what each is called, what it is done to, and which parameters it takes as JSON Schema. */
import { actionNames, actionTable } from '../../protocol/control/actions.js'
import { jsonSchema } from '../openapi/json-schema.js'
import type { AdminRoute } from './route.js'

const rowOf = (name: (typeof actionNames)[number]) => {
  const { subject, title, params } = actionTable[name]
  return { name, subject, title, params: jsonSchema(params, 'input', 'SandboxAction') }
}

let rows: ReturnType<typeof rowOf>[] | undefined

/** Made when first asked for, so that starting does not pay for it. */
function list() {
  rows ??= actionNames.map(rowOf)
  return { data: rows, next: null }
}

export const actionRoutes: readonly AdminRoute[] = [
  { method: 'GET', path: '/_sandbox/actions', title: 'Every action with its parameters', handle: list },
]
