/** The pages of the features in the dashboard. */

import type { View } from '../dashboard/store/route.js'
import { certifyViews } from './certify/pages.js'
import { compareViews } from './compare/pages.js'

export const featureViews: Readonly<Record<string, View>> = { ...certifyViews, ...compareViews }
