/** What a rail makes things up from, inside a unit of work. */
import type { Source } from '../../protocol/rails/rail.js'
import type { Unit } from '../unit/unit.js'

export const sourceOf = ({ atMs, ids }: Pick<Unit, 'atMs' | 'ids'>): Source => ({ atMs, draw: ids.draw })
