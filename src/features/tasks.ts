/** The frequent tasks of the features, which the help lists beside those of the dashboard. */

import type { Task } from '../dashboard/store/route.js'
import { certifyTask } from './certify/receiver/task.js'

export const featureTasks: readonly Task[] = [certifyTask]
