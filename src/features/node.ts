/** The features of a Node process: of the command line and of the library. */

import type { Feature } from '../feature.js'
import { certify } from './certify/feature.js'
import { compare } from './compare/feature.js'
import { mcp } from './mcp/feature.js'
import { record } from './record/feature.js'

export const features: readonly Feature[] = [certify, record, compare, mcp]
