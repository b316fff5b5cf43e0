/** The port through which a scenario makes objects: the same code as the API, which lies a floor above. */
import type { Creatable } from '../../protocol/scenario/steps.js'
import type { Caller } from '../access/caller.js'
import type { Unit } from '../workspace/workspace.js'

/** `body` is the request as JSON would bring it; answers `data`, throws `ApiError`. */
export type Perform = (
  unit: Unit,
  caller: Caller,
  operation: Creatable,
  body: Record<string, unknown>,
) => Record<string, unknown>
