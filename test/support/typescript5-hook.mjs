/** The generator of clients wants the compiler's old interface: it gets the version that has it. */
import { register } from 'node:module'

const hooks = `export const resolve = (name, context, next) =>
  next(name === 'typescript' && context.parentURL?.includes('/openapi-typescript/') ? 'typescript5' : name, context)`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
