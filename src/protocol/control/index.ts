/** Every route of the control API by its name. */
import { accountRoutes } from './accounts.js'
import { clockRoutes } from './clock.js'

export const controlRoutes = { ...clockRoutes, ...accountRoutes } as const
