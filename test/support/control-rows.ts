/** All rows of the control API by name, with those of the features. */
import { features } from '../../src/features/node.js'
import { controlRoutes } from '../../src/protocol/control/index.js'
import type { ControlRow } from '../../src/protocol/control/route.js'

export const featureRoutes = features.flatMap((one) => one.routes ?? [])

export const controlRows: Readonly<Record<string, ControlRow>> = Object.assign(
  {},
  controlRoutes,
  ...featureRoutes.map(({ rows }) => rows),
)
